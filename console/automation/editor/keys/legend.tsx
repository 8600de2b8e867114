import { keysWords as w } from './keys.words.ts';

const signs = [
  { look: 'legend-line is-implied', says: w.impliedEdge },
  { look: 'editor-node is-loop', says: w.loopBorder },
  { look: 'editor-node is-stale', says: w.staleBorder },
  { look: 'editor-note', says: w.noteBorder },
] as const;

/** What the lines and borders of the graph mean. */
export const Legend = () => (
  <section>
    <h3>{w.legend}</h3>
    <dl className="editor-keys">
      {signs.map(({ look, says }) => (
        <div key={look}>
          <dt>
            <span className={`legend-sign ${look}`} />
          </dt>
          <dd>{says}</dd>
        </div>
      ))}
    </dl>
  </section>
);
