import { type ReactNode, useContext, useState } from 'react';
import { type FormLevels, FormLevelsContext } from './form-levels.ts';
import { nestedWords as w } from './nested.words.ts';
import { inConfig, isWithin } from './places.ts';

interface Props {
  id: string;
  path: string;
  label: string;
  /** Shown after the label. */
  note: ReactNode;
  /** A few words about the content, shown while the group is folded. */
  summary: string;
  startsOpen: boolean;
  acts: ReactNode;
  /** Renders the content while the group is open. */
  children: () => ReactNode;
}

/** A foldable group of fields. It opens when a field in it has a problem, or when the user jumps to one. */
export function Group({ id, path, label, note, summary, startsOpen, acts, children }: Props) {
  const { problems, focus } = useContext(FormLevelsContext) as FormLevels;
  const count = problems.filter((problem) => isWithin(problem.path, path)).length;
  const hasProblem = count > 0;
  const isMeant = isWithin(inConfig(focus?.field ?? null) ?? '', path);
  const [isOpen, setOpen] = useState(startsOpen || hasProblem || isMeant);
  const [seen, setSeen] = useState({ focus, hasProblem });
  if (seen.focus !== focus || seen.hasProblem !== hasProblem) {
    setSeen({ focus, hasProblem });
    if ((seen.focus !== focus && isMeant) || (hasProblem && !seen.hasProblem)) setOpen(true);
  }
  return (
    <fieldset className="nest" data-field={path}>
      <legend>
        <button
          type="button"
          className="bare nest-fold"
          aria-expanded={isOpen}
          aria-controls={`${id}-body`}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="nest-sign" aria-hidden="true">
            {isOpen ? '▾' : '▸'}
          </span>
          {label}
        </button>
        {note}
      </legend>
      <div className="nest-acts">{acts}</div>
      {!isOpen && (hasProblem || summary !== '') && (
        <p className="quiet nest-summary" dir="auto">
          {hasProblem && <span className="field-error">{w.problems(count)} </span>}
          {summary}
        </p>
      )}
      <div className="nest-body" id={`${id}-body`} hidden={!isOpen}>
        {isOpen && children()}
      </div>
    </fieldset>
  );
}
