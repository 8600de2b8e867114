import { useMemo, useState } from 'react';
import { useClient } from 'urql';
import type { DraftSession } from '#console/automation/editor/draft/draft-session.ts';
import { saveAll } from '#console/automation/editor/draft/save-all.ts';
import { TryDraft } from '#console/automation/editor/editor.documents.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { idOf, pinsOf } from '#console/automation/editor/model/graph.ts';
import { useLastPayload } from '#console/automation/editor/sample/use-last-payload.ts';
import { useWrittenPayload } from '#console/automation/editor/sample/written-payload.ts';
import { Capture, type Firing } from '#console/automation/editor/trial/capture.tsx';
import { namedNodes, type Part, parts, section } from '#console/automation/editor/trial/parts.ts';
import { TestedState, TrialResult } from '#console/automation/editor/trial/trial-result.tsx';
import { ShownPayload } from '#console/automation/editor/trial/trial.documents.ts';
import { trialWords as t } from '#console/automation/editor/trial/trial.words.ts';
import type { Editing } from '#console/automation/editor/use-editing.ts';
import { isUntold, samplePayload } from '#console/automation/trigger-sample.ts';
import { readJson } from '#console/graph/exact-numbers.ts';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import { Panel } from '#console/ui/panel.tsx';

type Data = 'typed' | 'reuse' | 'capture';

interface Props {
  workflowId: string;
  editing: Editing;
  session: DraftSession;
  part: Part;
  /** The node that bounds the part. */
  at: string | undefined;
  choosePart: (part: Part) => void;
  jump: (path: string) => void;
  close: () => void;
}

/** Starts a test run of the draft or of a part of it, with a payload, the data of a run, or the next firing. */
export function TryPanel({ workflowId, editing, session, part, at, choosePart, jump, close }: Props) {
  const { graph, triggers, sample, trial } = editing;
  const client = useClient();
  const [written, write] = useWrittenPayload(workflowId);
  const shown = trial.run?.id === sample.runId ? trial.run : undefined;
  const [chosen, setData] = useState<Data>(part === 'node' || part === 'from' ? 'reuse' : 'typed');
  const data = chosen === 'reuse' && !shown ? 'typed' : chosen;
  const [handle, setHandle] = useState('');
  const [usesPins, setUsesPins] = useState(true);
  const [hasCaptured, setCaptured] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const pins = pinsOf(graph).size;
  const listened =
    triggers.find((trigger) => trigger.handle === handle) ?? triggers.find(({ url }) => url !== null) ?? triggers[0];
  const fired =
    triggers.find((trigger) => trigger.handle === handle) ?? (triggers.length === 1 ? triggers[0] : undefined);
  // Read once a trigger, so that the time in it stays while it is looked at.
  const sampled = useMemo(() => JSON.stringify(fired ? samplePayload(fired) : {}, null, 2), [fired]);
  const last = useLastPayload(written === undefined && triggers.length < 2 && isUntold(fired) ? sample : undefined);
  const text = written ?? last.text ?? sampled;
  const start = async () => {
    let payload: unknown;
    try {
      payload = data === 'reuse' ? undefined : readJson(text);
    } catch {
      setRefusal(w.notJson);
      return;
    }
    setBusy(true);
    setRefusal(undefined);
    await saveAll(session);
    const { saving, version } = session.state();
    if (saving !== 'saved') {
      setBusy(false);
      setRefusal(t.unsaved);
      return;
    }
    const given =
      data === 'reuse' ? { reuse: shown?.id } : { payload, ...(handle !== '' && { triggerHandle: handle }) };
    const tested = version > 0 ? { draft: true, ...(!usesPins && { pins: {} }) } : { pins: {} };
    const result = await mutate(client, TryDraft, { workflowId, ...tested, ...section(part, at), ...given });
    setBusy(false);
    if (result.refusal) setRefusal([result.refusal.message, ...Object.values(result.refusal.fields)].join(' '));
    else sample.choose((result.payload['run'] as { id: string }).id);
  };
  const take = ({ payload, run }: Firing) => {
    write(JSON.stringify(payload, null, 2));
    if (listened) setHandle(listened.handle);
    setCaptured(true);
    setData('typed');
    if (run) sample.choose(run.id);
  };
  const takeLast = async () => {
    // A run that is started meanwhile would have another payload than the one that was asked for.
    setBusy(true);
    const { data: read } = await client.query(ShownPayload, { id: shown?.id ?? '' }).toPromise();
    setBusy(false);
    if (read?.run) write(JSON.stringify(read.run.payload, null, 2));
    else setRefusal(t.payloadUnread);
  };
  return (
    <Panel title={w.tryIt} close={close}>
      <form
        className="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <p>{w.tryHelp}</p>
        <Radios
          label={t.part}
          options={parts.map((value) => ({ value, label: partLabel(value, at), isDisabled: value !== 'whole' && !at }))}
          chosen={at === undefined ? 'whole' : part}
          choose={choosePart}
        />
        {at === undefined && <p className="quiet">{t.chooseNode}</p>}
        <Radios
          label={t.data}
          options={[
            { value: 'typed' as const, label: t.typed },
            ...(shown ? [{ value: 'reuse' as const, label: t.reuse(shown.databaseId) }] : []),
            { value: 'capture' as const, label: t.capture, isDisabled: !listened },
          ]}
          chosen={data}
          choose={setData}
        />
        {data === 'reuse' && <p className="quiet">{t.reuseHelp}</p>}
        {data !== 'reuse' && triggers.length > 1 && (
          <label className="field">
            <span className="field-label">{t.trigger}</span>
            <select className="input" value={handle} onChange={(event) => setHandle(event.target.value)}>
              <option value="">{t.anyTrigger}</option>
              {triggers.map((trigger) => (
                <option key={trigger.handle} value={trigger.handle}>
                  {trigger.name}
                </option>
              ))}
            </select>
          </label>
        )}
        {data === 'capture' && listened && <Capture key={listened.id} trigger={listened} take={take} />}
        {data === 'typed' && (
          <>
            {hasCaptured && <p role="status">{t.captured}</p>}
            <label className="field">
              <span className="field-label">{w.payload}</span>
              <textarea
                className="input input-code editor-trial-payload"
                rows={8}
                spellCheck={false}
                value={text}
                onChange={(event) => write(event.target.value)}
              />
              {last.text !== undefined && <span className="field-help">{t.payloadFrom(last.databaseId)}</span>}
            </label>
            {shown && (
              <div className="panel-actions">
                <Button onPress={() => void takeLast()}>{t.takeLast(shown.databaseId)}</Button>
              </div>
            )}
          </>
        )}
        {pins > 0 && (
          <label>
            <input type="checkbox" checked={usesPins} onChange={(event) => setUsesPins(event.target.checked)} />{' '}
            {t.pinsUsed(pins)}
          </label>
        )}
        <TestedState graph={graph} />
        {refusal !== undefined && <RefusalText text={refusal} named={namedNodes(graph, refusal)} jump={jump} />}
        <div className="panel-actions">
          <Button kind="main" type="submit" isBusy={isBusy || last.isReading} isDisabled={data === 'capture'}>
            {t.start}
          </Button>
        </div>
        <TrialResult {...{ editing, jump }} />
      </form>
    </Panel>
  );
}

function partLabel(part: Part, at: string | undefined): string {
  return part === 'whole' || at === undefined ? (part === 'whole' ? t.whole : t[part]('…')) : t[part](idOf(at));
}

interface RadiosProps<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string; isDisabled?: boolean }[];
  chosen: Value;
  choose: (value: Value) => void;
}

function Radios<Value extends string>({ label, options, chosen, choose }: RadiosProps<Value>) {
  return (
    <fieldset className="field editor-radios">
      <legend className="field-label">{label}</legend>
      {options.map(({ value, label: text, isDisabled = false }) => (
        <label key={value}>
          <input
            type="radio"
            name={label}
            checked={chosen === value}
            disabled={isDisabled}
            onChange={() => choose(value)}
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** Why a run was refused, with a way to each node that the reason names. */
function RefusalText({ text, named, jump }: { text: string; named: readonly string[]; jump: (path: string) => void }) {
  return (
    <div className="refusal" role="alert">
      <p>{text}</p>
      {named.length > 0 && (
        <p>
          {t.named}{' '}
          {named.map((path) => (
            <button key={path} type="button" className="bare editor-jump" onClick={() => jump(path)}>
              {path}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}
