import type { ReactNode } from 'react';
import type { Workflow } from '#console/automation/editor/canvas/canvas-elements.ts';
import { copyWhole } from '#console/automation/editor/model/clipboard.ts';
import { edgesOf, nodesOf } from '#console/automation/editor/model/graph.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';
import { download, fileName } from './download.ts';
import { graphSvg } from './graph-svg.ts';
import { inOutWords as w } from './in-out.words.ts';
import { privateFields, writtenSecrets } from './private-fields.ts';

interface Props {
  workflow: Workflow;
  editing: Editing;
  /** The selected node. */
  chosen: string | undefined;
  openFile: (file: File) => void;
  close: () => void;
}

/** Takes a workflow out as JSON, as a drawing or as a link, and a file in. */
export function InOutPanel({ workflow: { name }, editing, chosen, openFile, close }: Props) {
  const { graph, triggers, definitions, canEdit } = editing;
  const json = () => copyWhole(graph, name, privateFields(definitions));
  const secrets = writtenSecrets(nodesOf(graph), definitions);
  const write = async (text: string, done: string) => {
    await navigator.clipboard.writeText(text);
    notify({ kind: 'done', text: done });
  };
  const svg = () => {
    const description = w.drawingText(nodesOf(graph).size, edgesOf(graph).length);
    return graphSvg({ graph, triggers, definitions, title: w.drawing(name), description });
  };
  return (
    <Panel title={w.title} close={close}>
      <div className="panel-body">
        <Group help={`${w.outHelp} ${w.withoutSecrets(secrets)}`.trim()}>
          <Button onPress={() => void write(json(), `${w.copied} ${w.withoutSecrets(secrets)}`.trim())}>
            {w.copyJson}
          </Button>
          <Button onPress={() => download(fileName(name, 'json'), json(), 'application/json')}>{w.downloadJson}</Button>
          <Button onPress={() => download(fileName(name, 'svg'), svg(), 'image/svg+xml')}>{w.downloadSvg}</Button>
        </Group>
        <Group help={chosen === undefined ? w.chooseNode : ''}>
          <Button isDisabled={chosen === undefined} onPress={() => void write(linkTo(chosen ?? ''), w.linkCopied)}>
            {w.copyLink}
          </Button>
        </Group>
        {canEdit && (
          <label className="field">
            <span className="field-label">{w.openFile}</span>
            <input
              className="input"
              type="file"
              accept=".json,application/json"
              onChange={(event) => {
                const [file] = event.target.files ?? [];
                if (file) openFile(file);
                // The same file may be chosen again.
                event.target.value = '';
              }}
            />
            <span className="field-help">{w.openHelp}</span>
          </label>
        )}
      </div>
    </Panel>
  );
}

const Group = ({ help, children }: { help: string; children: ReactNode }) => (
  <div className="in-out-group">
    {children}
    {help !== '' && <p className="quiet">{help}</p>}
  </div>
);

/** The address of the editor with the form of a node. */
function linkTo(path: string): string {
  const address = new URL(location.href);
  address.search = `?${new URLSearchParams({ node: path }).toString()}`;
  return address.href;
}
