import { Panel } from '#console/ui/panel.tsx';
import { editorKeys } from './editor-keys.ts';
import { keysWords as w } from './keys.words.ts';
import { Legend } from './legend.tsx';

const shown = (key: string): string => (key === 'escape' ? 'Esc' : key.toUpperCase());

const onGraph = [
  { keys: ['←', '→'], does: w.along },
  { keys: ['↑', '↓'], does: w.besides },
  { keys: ['Enter'], does: w.open },
  { keys: ['Del'], does: w.remove },
  { keys: [`${w.shift} ← → ↑ ↓`], does: w.extendBy },
  { keys: [`${w.shift} ${w.space}`], does: w.keep },
  { keys: [w.shift], does: w.extend },
  { keys: [`${w.control} ← → ↑ ↓`], does: w.moveBy },
  { keys: ['Esc'], does: w.leaveNote },
  { keys: [`${w.control} V`], does: w.paste },
];

const everywhere = [...Map.groupBy(editorKeys, ({ name }) => name)].map(([name, each]) => ({
  keys: each.map(({ key, isControl }) => (isControl ? `${w.control} ` : '') + shown(key)),
  does: w[name],
}));

/** Every key of the editor. */
export function KeysPanel({ close }: { close: () => void }) {
  return (
    <Panel title={w.title} close={close}>
      <div className="panel-body">
        <KeyList title={w.onGraph} rows={onGraph} />
        <KeyList title={w.everywhere} rows={everywhere} />
        <Legend />
      </div>
    </Panel>
  );
}

function KeyList({ title, rows }: { title: string; rows: readonly { keys: readonly string[]; does: string }[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="editor-keys">
        {rows.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
