import type { Format } from '#console/ui/screens/screen.ts';
import { numberText } from '#console/words/values.ts';

/** An exact decimal in percent. */
export const percent = <Row>(get: (row: Row) => string): Format<Row> => ({
  text: (row) => `${numberText(get(row))} %`,
  align: 'end',
});
