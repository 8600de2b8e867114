import type { ResultOf } from '#console/graph/graphql.ts';
import type { RowOf } from '#console/ui/screens/screen.ts';
import { enumWord } from '#console/words/enums.ts';
import type { Runs } from './runs.documents.ts';

export type RunOfRow = RowOf<ResultOf<typeof Runs>, 'runs'>;

/** Who or what started a run, by name where it has one. */
export const starter = ({ startedBy }: Pick<RunOfRow, 'startedBy'>): string =>
  startedBy?.name ?? (startedBy ? enumWord(startedBy.kind) : '');
