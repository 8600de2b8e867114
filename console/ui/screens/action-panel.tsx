import { useNavigate, useParams } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useState } from 'react';
import { useClient } from 'urql';
import { type MutationRefusal, mutate } from '#console/graph/mutate.ts';
import { toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import { CopyText } from '#console/ui/copy-text.tsx';
import { lazily } from '#console/ui/lazily.tsx';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { common } from '#console/words/common.words.ts';
import type { ActionForm as ActionFormType } from './action-form.tsx';
import type { Action } from './action.ts';
import { announceChange } from './changes.ts';

/** Forms are loaded with the first that is opened. The cast keeps the parameter of the component's type, which `lazily` drops. */
const ActionForm = lazily(() =>
  import('./action-form.tsx').then(({ ActionForm }) => ActionForm as ComponentType<object>),
) as unknown as <T>(props: Parameters<typeof ActionFormType<T>>[0] & { meanwhile: ReactNode }) => ReactNode;

interface Props<T> {
  action: Action<T>;
  object: T;
  close: () => void;
  /** Called after the mutation, to read the page again. */
  done?: () => void;
  /** Called when the object was not there any more. */
  gone?: () => void;
}

/** Asks for what an action needs, runs it, and shows what came of it. */
export function ActionPanel<T extends { id: string } | null>({ action, object, close, done, gone }: Props<T>) {
  const client = useClient();
  const navigate = useNavigate();
  const { tenant = '' } = useParams({ strict: false });
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<MutationRefusal>();
  const [secret, setSecret] = useState<string>();
  const needs = action.needs?.(object);
  const fixed = action.input?.(object) ?? (object ? { id: object.id } : {});
  const run = async (entered: Record<string, unknown>) => {
    setBusy(true);
    const result = await mutate(client, action.document, { ...fixed, ...entered });
    setBusy(false);
    if (result.refusal) {
      setRefusal(result.refusal);
      if (result.refusal.code === 'NOT_FOUND') gone?.();
      return;
    }
    announceChange();
    done?.();
    const said = typeof action.done === 'string' ? action.done : action.done(result.payload);
    notify(typeof said === 'string' ? { kind: 'done', text: said } : said);
    if (action.leavesFor) {
      location.assign(action.leavesFor(result.payload));
      return;
    }
    const shownOnce = action.secret?.(result.payload);
    const opened = action.opens?.(result.payload);
    if (shownOnce) setSecret(shownOnce);
    else if (opened)
      void navigate({ to: '/t/$tenant/$noun/$id', params: { tenant, noun: opened.noun, id: toAddressId(opened.id) } });
    else close();
  };
  return (
    <Panel title={action.label} close={close}>
      {needs ? (
        <div className="panel-body">
          <p>{needs.text}</p>
          <div className="panel-actions">
            <Button
              kind="main"
              onPress={() =>
                void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, do: needs.key }) })
              }
            >
              {needs.label}
            </Button>
            <Button onPress={close}>{common.cancel}</Button>
          </div>
        </div>
      ) : secret !== undefined ? (
        <div className="panel-body">
          <p>{common.secretOnce}</p>
          <CopyText text={secret} />
          <Button kind="main" onPress={close}>
            {common.close}
          </Button>
        </div>
      ) : (
        <div className="panel-body">
          {action.confirm && <p>{action.confirm(object)}</p>}
          {refusal && (
            <p className="refusal" role="alert">
              {refusal.message}
            </p>
          )}
          {action.form ? (
            <ActionForm
              meanwhile={<Skeleton rows={4} />}
              action={action}
              object={object}
              fixed={fixed}
              refusal={refusal}
              isBusy={isBusy}
              submit={(values) => void run(values)}
              close={close}
            />
          ) : (
            <div className="panel-actions">
              <Button kind={action.isDanger ? 'danger' : 'main'} isBusy={isBusy} onPress={() => void run({})}>
                {action.label}
              </Button>
              <Button onPress={close}>{action.isDanger ? common.close : common.cancel}</Button>
            </div>
          )}
        </div>
      )}
    </Panel>
  );
}
