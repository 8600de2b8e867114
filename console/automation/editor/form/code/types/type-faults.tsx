import type { CodeTypes } from './code-types.ts';
import { faultText } from './fault-text.ts';
import type { TypeFault } from './protocol.ts';
import { typesWords as w } from './types.words.ts';

const maxShown = 5;

interface Props {
  /** The id of the field. */
  id: string;
  found: CodeTypes['found'];
  show: (fault: TypeFault) => void;
}

/** Lists the faults in types below the code; each line leads to its place. */
export function TypeFaults({ id, found: { text, faults }, show }: Props) {
  if (faults.length === 0) return null;
  return (
    <div className="code-type-faults" id={`${id}-types`}>
      <p>{w.note}</p>
      <ul>
        {faults.slice(0, maxShown).map((fault) => (
          <li key={`${fault.from} ${fault.to} ${faultText(fault)}`}>
            <button type="button" className="bare" onClick={() => show(fault)}>
              {w.line(text.slice(0, fault.from).split('\n').length)}
            </button>
            : {faultText(fault)}
          </li>
        ))}
        {faults.length > maxShown && <li>{w.more(faults.length - maxShown)}</li>}
      </ul>
    </div>
  );
}
