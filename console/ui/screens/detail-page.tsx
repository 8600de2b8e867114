import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useQuery, useSubscription } from 'urql';
import { fromAddressId } from '#console/ui/address-id.ts';
import { CopyText } from '#console/ui/copy-text.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { LiveMark } from '#console/ui/live-mark.tsx';
import { LoadFailed, RereadFailed } from '#console/ui/load-failed.tsx';
import { ListLink } from '#console/ui/object-link.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { State } from '#console/ui/state.tsx';
import { useReadAt } from '#console/ui/use-read-at.ts';
import { useReconnected } from '#console/ui/use-reconnected.ts';
import { useThrottled } from '#console/ui/use-throttled.ts';
import { common } from '#console/words/common.words.ts';
import { fieldWord } from '#console/words/fields.ts';
import { ActionPanel } from './action-panel.tsx';
import { announceChange } from './changes.ts';
import { Facts } from './facts.tsx';
import { useOffered } from './may-run.ts';
import { NotOffered } from './not-offered.tsx';
import { type PageAction, PageActions } from './page-actions.tsx';
import type { Entity, ListUpdate } from './rows.ts';
import type { Column, DetailScreen } from './screen.ts';

interface Props {
  noun: string;
  title: string;
  /** As it stands in the address. */
  id: string;
  screen: DetailScreen;
}

/** Reads of a page that changes often are at least this far apart, in milliseconds. */
const rereadMs = 1_000;

/** The page of one object: its facts at the left, its life at the right, what may be done with it above. */
export function DetailPage({ noun, title, id, screen: declared }: Props) {
  const screen = useOffered(declared);
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const globalId = fromAddressId(id);
  const variables = screen.variables?.(globalId) ?? { id: globalId };
  const [result, reload] = useQuery({ query: screen.document, variables, requestPolicy: 'cache-and-network' });
  const found = result.data?.[screen.query] as Entity | null | undefined;
  const [shown, setShown] = useState(found);
  if (found && found !== shown) setShown(found);
  // If somebody deletes the object while a form about it is open, the form keeps what the user has typed.
  const object = found ?? (address['do'] ? shown : found);
  const isDeleted = found === null && !result.fetching;
  const hasActed = useRef(false);
  const { tenant = '' } = useParams({ strict: false });
  useEffect(() => {
    // Who has deleted it here goes on with the list.
    if (isDeleted && hasActed.current)
      void navigate({ to: '/t/$tenant/$noun', params: { tenant, noun }, replace: true });
  }, [isDeleted, navigate, tenant, noun]);
  const isQuiet = screen.hasEnded !== undefined && (!object || screen.hasEnded(object));
  const read = () => reload({ requestPolicy: 'network-only' });
  const readSoon = useThrottled(() => {
    read();
    announceChange();
  }, rereadMs);
  useReconnected(readSoon);
  const followed = {
    query: screen.follow ?? screen.document,
    variables: (object && screen.followed?.(object)) ?? variables,
    pause: !screen.follow || isQuiet || (screen.followed !== undefined && !object),
  };
  useSubscription(followed, (_, data) => {
    if (object && (screen.rereads ?? isChangeOf)(Object.values(data)[0], object)) readSoon();
    return data;
  });
  const readAt = useReadAt(result);
  const setDoing = (key: string | undefined) =>
    void navigate({ to: '.', search: (previous: Record<string, unknown>) => ({ ...previous, do: key }) });

  if (result.error && !object) return <LoadFailed error={result.error} retry={read} />;
  if (!object)
    return result.fetching || result.data === undefined ? (
      <Skeleton rows={12} />
    ) : (
      <Missing noun={noun} title={title} />
    );
  const actions = screen.actions?.filter(({ allowed }) => allowed?.(object) ?? true) ?? [];
  const doing = actions.find(({ key }) => key === address['do']);
  const isRaw = address['do'] === 'raw';
  const buttons: PageAction[] = [
    ...actions.map(({ key, label, isDanger }): PageAction => ({
      key,
      label,
      kind: isDanger ? 'danger' : 'plain',
      run: () => setDoing(key),
    })),
    { key: 'raw', label: common.raw, run: () => setDoing(isRaw ? undefined : 'raw') },
  ];
  const value = screen.state?.(object);
  const sections = screen.sections?.filter(({ when }) => when?.(object) ?? true) ?? [];
  return (
    <div className="detail-page">
      <header className="page-head">
        <div className="page-title">
          <PageHeading text={screen.title(object)} />
          {value && <State value={value} />}
          {screen.follow && !isQuiet ? <LiveMark /> : <LiveMark readAt={readAt} reload={read} />}
          <PageActions actions={buttons}>
            {screen.lists?.map(({ noun, label, search }) => (
              <ListLink key={noun} noun={noun} search={search(object)} className="button button-plain">
                {label}
              </ListLink>
            ))}
          </PageActions>
        </div>
      </header>
      <NotOffered doing={address['do']} declared={declared.actions} offered={actions} />
      {isDeleted && (
        <p className="refusal" role="alert">
          {common.notFound}
        </p>
      )}
      {result.error && <RereadFailed error={result.error} retry={read} />}
      <div className="with-panel">
        <div className={isRaw || sections.length > 0 ? 'detail-body' : 'detail-body detail-alone'}>
          <aside className="detail-facts" aria-label={common.facts}>
            <Facts facts={[...screen.facts, globalIdFact]} object={object} />
          </aside>
          <div className="detail-sections">
            {isRaw && <JsonTree value={object} />}
            {sections.map(({ key, title, draw }) => (
              <section key={key} className="section" aria-labelledby={`section-${key}`}>
                <h2 id={`section-${key}`}>{title}</h2>
                {draw(object)}
              </section>
            ))}
          </div>
        </div>
        {doing && (
          <ActionPanel
            key={doing.key}
            action={doing}
            object={object}
            close={() => setDoing(undefined)}
            gone={read}
            done={() => {
              hasActed.current = doing.isDanger ?? false;
              read();
            }}
          />
        )}
      </div>
    </div>
  );
}

/** The object's global id, for queries and for support requests. */
const globalIdFact: Column<Entity> = {
  key: 'globalId',
  label: fieldWord('id'),
  show: { text: ({ id }) => id, draw: ({ id }) => <CopyText text={id} /> },
};

/** A subscription of a list tells of all objects, and of each no more than its row. */
function isChangeOf(event: unknown, { id }: Entity): boolean {
  const update = event as Partial<ListUpdate<Entity>> | null;
  return update?.change !== undefined && update.id === id;
}

export function Missing({ noun, title }: { noun: string; title: string }) {
  return (
    <div className="failed-box">
      <PageHeading text={common.notFoundTitle} />
      <p>{common.notFound}</p>
      <ListLink noun={noun}>{common.backToList(title)}</ListLink>
    </div>
  );
}
