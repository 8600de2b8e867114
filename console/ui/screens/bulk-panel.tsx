import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { type MutationResult, mutate } from '#console/graph/mutate.ts';
import { toAddressId } from '#console/ui/address-id.ts';
import { Button } from '#console/ui/button.tsx';
import { notify } from '#console/ui/notices.ts';
import { Panel } from '#console/ui/panel.tsx';
import { common } from '#console/words/common.words.ts';
import { enumWord } from '#console/words/enums.ts';
import { numberText } from '#console/words/values.ts';
import type { BulkAction } from './action.ts';
import type { Entity } from './rows.ts';

interface Props {
  action: BulkAction<Entity>;
  ids: readonly string[];
  filter: Record<string, unknown>;
  close: () => void;
}

/** Counts what an action on many would change, then runs it and opens its progress. */
export function BulkPanel({ action, ids, filter, close }: Props) {
  const client = useClient();
  const navigate = useNavigate();
  const { tenant = '' } = useParams({ strict: false });
  const [takesAll, setTakesAll] = useState(ids.length === 0);
  const [counted, setCounted] = useState<MutationResult>();
  const [isBusy, setBusy] = useState(false);
  const target = JSON.stringify(takesAll ? { filter } : { ids });
  useEffect(() => {
    let isCurrent = true;
    setCounted(undefined);
    void mutate(client, action.document, { ...JSON.parse(target), dryRun: true }).then((result) => {
      if (isCurrent) setCounted(result);
    });
    return () => {
      isCurrent = false;
    };
  }, [client, action, target]);
  const start = async () => {
    setBusy(true);
    const result = await mutate(client, action.document, JSON.parse(target));
    setBusy(false);
    const started = result.payload?.['bulkAction'] as Entity | undefined;
    if (!started) return setCounted(result);
    notify({ kind: 'done', text: common.started });
    void navigate({
      to: '/t/$tenant/$noun/$id',
      params: { tenant, noun: 'bulk-actions', id: toAddressId(started.id) },
    });
  };
  const count = counted?.payload?.['count'] as number | undefined;
  return (
    <Panel title={action.verb} close={close}>
      <div className="panel-body">
        {ids.length > 0 && (
          <fieldset className="radio-group">
            {[false, true].map((all) => (
              <label key={String(all)}>
                <input type="radio" name="target" checked={takesAll === all} onChange={() => setTakesAll(all)} />
                {all ? common.allMatching : common.onlySelected}
              </label>
            ))}
          </fieldset>
        )}
        {counted?.refusal && (
          <p className="refusal" role="alert">
            {counted.refusal.message}
          </p>
        )}
        {count === 0 && <p>{common.nothingToDo}</p>}
        <div className="panel-actions">
          <Button
            kind={action.isDanger ? 'danger' : 'main'}
            isBusy={isBusy}
            isDisabled={!count}
            onPress={() => void start()}
          >
            {count === undefined ? (counted ? action.verb : common.counting) : action.label(numberText(count))}
          </Button>
          <Button onPress={close}>{action.isDanger ? common.close : common.cancel}</Button>
        </div>
        {count ? <FirstItems count={count} payload={counted?.payload} /> : null}
      </div>
    </Panel>
  );
}

/** What the dry run shows: the first items by whatever names them. */
function FirstItems({ count, payload = {} }: { count: number; payload: Record<string, unknown> | undefined }) {
  const items = Object.values(payload).find(Array.isArray) as (Entity & Record<string, unknown>)[] | undefined;
  if (!items || items.length === 0) return null;
  return (
    <>
      {count > items.length && <p className="quiet">{common.first20}</p>}
      <ul className="first-items">
        {items.map((item) => (
          <li key={item.id}>
            {Object.entries(item)
              .filter(
                ([key, value]) => key !== 'id' && key !== '__typename' && value !== null && typeof value !== 'object',
              )
              .map(([key, value]) => (key === 'status' ? enumWord(String(value)) : String(value)))
              .join(' · ')}
          </li>
        ))}
      </ul>
    </>
  );
}
