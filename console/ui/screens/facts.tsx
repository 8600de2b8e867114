import type { Column } from './screen.ts';

/** The values of an object by name; those that have none are left out. */
export function Facts<T>({ facts, object }: { facts: readonly Column<T>[]; object: T }) {
  return (
    <dl className="facts">
      {facts
        .filter(({ show }) => show.text(object) !== '')
        .map(({ key, label, show }) => (
          <div key={key} className="fact">
            <dt>{label}</dt>
            <dd dir="auto">{show.draw ? show.draw(object) : show.text(object)}</dd>
          </div>
        ))}
    </dl>
  );
}
