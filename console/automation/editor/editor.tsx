import { ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useMemo, useState } from 'react';
import { HeadName } from '#console/ui/head-name.tsx';
import { notify } from '#console/ui/notices.ts';
import { ObjectLink } from '#console/ui/object-link.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { useUnsaved } from '#console/ui/unsaved.ts';
import { useReconnected } from '#console/ui/use-reconnected.ts';
import type { Workflow } from './canvas/canvas-elements.ts';
import { CanvasTools } from './canvas/canvas-tools.tsx';
import { Canvas } from './canvas/canvas.tsx';
import type { DraftSession } from './draft/draft-session.ts';
import type { SavedDraft } from './draft/open-draft.ts';
import { editorWords as w } from './editor.words.ts';
import { NodeForm } from './form/node-form.tsx';
import { useRenamed } from './form/use-renamed.ts';
import { graphCommands } from './graph-commands.ts';
import { DropArea } from './in-out/drop-area.tsx';
import { InOutPanel } from './in-out/in-out-panel.tsx';
import { useIncoming } from './in-out/use-incoming.ts';
import { type KeyActions, pressKey } from './keys/editor-keys.ts';
import { graphKeys } from './keys/graph-keys.ts';
import { KeysPanel } from './keys/keys-panel.tsx';
import { useFirstFocus } from './keys/use-first-focus.ts';
import { useKeptFocus } from './keys/use-kept-focus.ts';
import { isTrigger, nodeAt } from './model/graph.ts';
import { ConflictPanel } from './panels/conflict-panel.tsx';
import { ConnectPanel } from './panels/connect-panel.tsx';
import { ExtractPanel } from './panels/extract-panel.tsx';
import { FindPanel } from './panels/find-panel.tsx';
import { NodePalette } from './panels/node-palette.tsx';
import { useProblemWalk } from './panels/problem-walk.ts';
import { Problems } from './panels/problems.tsx';
import { PublishPanel } from './panels/publish-panel.tsx';
import { TryPanel } from './panels/try-panel.tsx';
import { removal } from './removal.ts';
import { Comparison } from './revisions/comparison.tsx';
import { NewsBar, useNews } from './revisions/news-bar.tsx';
import type { SideName } from './revisions/use-sides.ts';
import { useSample } from './sample/use-sample.ts';
import { SavingState } from './saving-state.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { EmptyGraph } from './templates/empty-graph.tsx';
import { TemplatePanel } from './templates/template-panel.tsx';
import { Toolbar } from './toolbar.tsx';
import { RunBar } from './trial/run-bar.tsx';
import { tryParts } from './trial/try-parts.ts';
import { TriggerPanels } from './triggers/trigger-panels.tsx';
import { useUpgrading } from './upgrades/use-upgrading.ts';
import { useDefinitions } from './use-definitions.ts';
import { useEditing } from './use-editing.ts';
import { useFollowed } from './use-followed.ts';
import { useShown } from './use-shown.ts';

/** The graph of a workflow with its panels. */
export function Editor({
  workflow,
  draft,
  session,
  reload,
}: {
  workflow: Workflow;
  draft: SavedDraft | null;
  session: DraftSession;
  reload: () => void;
}) {
  const definitions = useDefinitions();
  const { address, show, close, start } = useShown();
  const { triggers, viewerCan, id } = workflow;
  const isDeleted = workflow.deletedAt !== null;
  const issues = useMemo(() => draft?.validation.issues ?? [], [draft]);
  const sample = useSample(id);
  const upgrading = useUpgrading(session, { workflowId: id, saved: draft?.blob ?? workflow.blob, done: reload });
  const editing = useEditing(session, {
    triggers,
    definitions,
    issues,
    checked: draft?.blob,
    upgrading,
    sample,
    canEdit: viewerCan.saveDraft && !isDeleted,
  });
  const commands = graphCommands(editing);
  const { state, selected, graph, places } = editing;
  const { news, hear, dismiss, published } = useNews(workflow.revision);
  const { incoming, open } = useIncoming(editing);
  const flow = useReactFlow();
  /** The node that is highlighted in the panel Connect. */
  const [pointed, setPointed] = useState<string>();
  const [added, setAdded] = useState<string>();
  const renamed = useRenamed(graph);
  useKeptFocus();
  useFirstFocus();
  useReconnected(() => void session.flush());
  useUnsaved(state.saving !== 'saved' && !state.isKept, { areOfPage: true });
  const compare = (from: SideName, to: SideName) =>
    show({ do: 'revisions', node: undefined, from: String(from), to: String(to) });
  const openNode = (path: string) => {
    if (nodeAt(graph, path) || isTrigger(path)) show({ node: path, do: undefined });
  };
  /** The palette closes with the node that it adds, however that is chosen. */
  const thenClose = (act: () => void) => {
    act();
    close();
  };
  const shown = renamed.find(address['node']);
  const { do: doing } = address;
  const editors = useFollowed(workflow, {
    session,
    reload,
    published: hear,
    discarded: (by) => notify({ kind: 'done', text: w.discardedBy(by) }),
  });
  const isComparing = doing === 'revisions' && state.conflicts.length === 0;
  const chosen = [...selected].findLast((key) => places.has(key));
  const trying = tryParts({ graph, address, chosen, show });
  const jump = (path: string) => {
    editing.select(new Set([path]));
    openNode(path);
  };
  const walk = useProblemWalk(issues, jump);
  const reveal = (path: string) => {
    editing.select(new Set([path]));
    void flow.fitView({ nodes: [{ id: path }], maxZoom: 1, minZoom: 0.8, duration: 0 });
  };
  const canPublish = draft !== null && viewerCan.publish && !isDeleted;
  const { trigger: chosenTrigger, remove } = removal(editing, start);
  const keys: KeyActions = {
    ...graphKeys({ editing, commands, flow, start, chosen }),
    nextProblem: () => walk.step(1),
    previousProblem: () => walk.step(-1),
    publish: () => (canPublish && state.conflicts.length === 0 ? start('publish') : undefined),
    ...trying.keys,
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the whole editor
    <div
      className="editor"
      onKeyDown={(event) => pressKey(event, keys)}
      onPaste={(event) => {
        const isTyping =
          event.target instanceof Element && event.target.closest('input, textarea, [contenteditable=true]') !== null;
        if (!isTyping && editing.canEdit) commands.paste(event.clipboardData.getData('text'));
      }}
    >
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={workflow.name} />
          <HeadName text={workflow.name} />
          <ObjectLink noun="workflows" id={id}>
            {w.back}
          </ObjectLink>
          <SavingState
            state={state}
            retry={() => void session.flush()}
            cannotEdit={editing.canEdit ? undefined : isDeleted ? w.deleted : w.readOnly}
          />
          {editors.length > 1 && <span className="quiet">{w.editors(editors)}</span>}
        </div>
        <Toolbar
          {...{ editing, commands, start }}
          canPublish={canPublish}
          cannotPublish={state.conflicts.length > 0 ? w.decideFirst : undefined}
          canAddTrigger={viewerCan.createTrigger && !isDeleted}
        />
      </header>
      {news && doing !== 'publish' && (
        <NewsBar news={news} see={() => compare(news.revision - 1, news.revision)} dismiss={dismiss} />
      )}
      <div className="with-panel">
        {isComparing && (
          // It has a view of its own.
          <ReactFlowProvider>
            <Comparison {...{ workflow, editing, compare, close }} />
          </ReactFlowProvider>
        )}
        {!isComparing && (
          <DropArea incoming={incoming} {...(editing.canEdit && { open })}>
            {state.conflicts.length > 0 && <ConflictPanel {...{ editing, session }} />}
            <RunBar editing={editing} />
            <EmptyGraph editing={editing} choose={(template) => show({ do: 'template', template })} />
            <div className="editor-drawing">
              <Canvas
                {...{ editing, shown }}
                kept={shown ?? (doing === 'connect' ? (pointed ?? chosen) : added === chosen ? added : undefined)}
                open={openNode}
                remove={remove}
                drop={(...given) => thenClose(() => commands.drop(...given))}
                addInto={() => start('add')}
              />
              <SelectionBar {...{ editing, commands, start, shown }} open={openNode} remove={remove} />
              <CanvasTools find={() => start('find')} showKeys={() => start('keys')} />
            </div>
            <Problems {...{ editing, at: walk.at, jump: walk.jump, open: jump }} />
          </DropArea>
        )}
        {shown !== undefined && nodeAt(graph, shown) && (
          <NodeForm
            key={renamed.keyOf(shown)}
            workflowId={id}
            editing={editing}
            path={shown}
            focus={walk.focus?.path === shown ? walk.focus : undefined}
            moved={(path) => {
              renamed.keep(shown, path);
              editing.select(new Set([path]));
              show({ node: path });
            }}
            tryPart={trying.tryPart}
            close={close}
          />
        )}
        <TriggerPanels {...{ workflow, shown, doing, reload, start, close }} chosen={chosenTrigger} open={jump} />
        {doing === 'add' && (
          <NodePalette {...{ definitions, close }} choose={(given) => thenClose(() => setAdded(commands.add(given)))} />
        )}
        {doing === 'find' && <FindPanel {...{ editing, reveal, close }} />}
        {doing === 'keys' && <KeysPanel close={close} />}
        {doing === 'extract' && <ExtractPanel {...{ editing, close }} />}
        {doing === 'template' && address['template'] !== undefined && (
          <TemplatePanel slug={address['template']} {...{ editing, close }} />
        )}
        {doing === 'in-out' && (
          <InOutPanel {...{ workflow, editing, chosen, close }} openFile={(file) => void open(file, { x: 0, y: 0 })} />
        )}
        {doing === 'connect' && chosen !== undefined && (
          <ConnectPanel key={chosen} editing={editing} from={chosen} point={setPointed} close={close} />
        )}
        {doing === 'publish' && draft && (
          <PublishPanel {...{ workflow, editing, session, close, published, start }} done={reload} />
        )}
        {doing === 'try' && (
          <TryPanel
            key={`${address['part']} ${address['at']}`}
            workflowId={id}
            {...{ editing, session, jump, close }}
            {...trying.section}
          />
        )}
      </div>
    </div>
  );
}
