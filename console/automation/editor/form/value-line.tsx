import { expressionWords as w } from '#console/automation/editor/expressions/expressions.words.ts';
import { useLater } from '#console/ui/use-later.ts';
import type { ExpressionValue } from './use-expression-value.ts';

/** Milliseconds after which a value is read out, so that not every key is. */
const readOutMs = 1_000;

interface Props {
  id: string;
  label: string;
  shown: ExpressionValue;
  /** The problem of the field says the message already. */
  isSaid?: boolean;
}

/** What an expression yields, or why it does not, below it. */
export function ValueLine({ id, label, shown: { value, message, note }, isSaid = false }: Props) {
  const said = note === w.ofLoop ? note : (message ?? value ?? '');
  const later = useLater(said, readOutMs);
  return (
    <div className="expression-value" id={id}>
      {message !== undefined
        ? !isSaid && <p className="field-error">{message}</p>
        : value !== undefined && <output dir="auto">{value}</output>}
      {note && <p className="field-help">{note}</p>}
      <span className="sr-only" role="status">
        {later === '' ? '' : w.valueOf(label, later)}
      </span>
    </div>
  );
}
