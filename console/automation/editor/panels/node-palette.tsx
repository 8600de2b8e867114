import { useState } from 'react';
import { draggedNode } from '#console/automation/editor/canvas/drop-target.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import type { Definition, Definitions } from '#console/automation/editor/node-shape.ts';
import { HelpText } from '#console/ui/help-text.tsx';
import { Panel } from '#console/ui/panel.tsx';
import { bestOf, isAboutRetry, isWanted, paletteGroups } from './palette-groups.ts';

/** The nodes to choose from, by what they are called and what they do. */
export function NodePalette({
  definitions,
  choose,
  close,
}: {
  definitions: Definitions;
  choose: (definition: Definition) => void;
  close: () => void;
}) {
  const [text, setText] = useState('');
  const groups = paletteGroups([...definitions.values()].filter((definition) => isWanted(definition, text)));
  const best = bestOf(
    groups.flatMap((group) => group.definitions),
    text,
  );
  return (
    <Panel title={w.addNode} close={close}>
      <div className="panel-body">
        <input
          className="input"
          type="search"
          autoFocus
          aria-label={w.searchNodes}
          placeholder={w.searchNodes}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !best) return;
            // The button to which the focus returns would take the same key.
            event.preventDefault();
            choose(best);
          }}
        />
        {isAboutRetry(text) && <p className="quiet">{w.retryHint}</p>}
        {groups.length === 0 && <p className="quiet">{w.noNode}</p>}
        {groups.map(({ label, definitions: inGroup }) => (
          <section key={label} aria-label={label}>
            <h3 className="editor-palette-group">{label}</h3>
            <ul className="editor-palette">
              {inGroup.map((definition) => (
                <li key={definition.slug}>
                  <button
                    type="button"
                    className={`editor-palette-node${text !== '' && definition === best ? ' is-best' : ''}`}
                    draggable
                    onDragStart={({ dataTransfer }) => dataTransfer.setData(draggedNode, definition.slug)}
                    onClick={() => choose(definition)}
                  >
                    <span className="editor-node-name">{definition.name}</span>
                    <span className="quiet">
                      <HelpText text={definition.description ?? definition.slug} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Panel>
  );
}
