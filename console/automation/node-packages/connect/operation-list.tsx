import { memo, useDeferredValue, useId, useMemo, useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { type Api, findOperations, type Operation } from './api.ts';
import { connectWords as w } from './connect.words.ts';

/** The most rows that the list shows at first, because an API may have thousands of operations. */
const pageSize = 100;

interface Props {
  api: Api;
  chosen: ReadonlySet<string>;
  choose: (chosen: ReadonlySet<string>) => void;
}

/** Chooses operations by search, by group or one by one. */
export function OperationList({ api, chosen, choose }: Props) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [tag, setTag] = useState('');
  const [limit, setLimit] = useState(pageSize);
  const search = useDeferredValue(typed);
  const found = useMemo(() => findOperations(api.operations, search, tag), [api, search, tag]);
  const possible = found.filter(({ reason }) => reason === null);
  const unfit = [
    ...api.skipped,
    ...api.operations.flatMap(({ method, path, reason }) =>
      reason === null ? [] : [{ operation: `${method} ${path}`, reason }],
    ),
  ];
  const toggle = (name: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(name);
    else next.delete(name);
    choose(next);
  };
  const rest = Math.min(pageSize, found.length - limit);
  return (
    <>
      <div className="connect-filter">
        <div className="field">
          <label htmlFor={`${id}-search`}>{w.search}</label>
          <input
            id={`${id}-search`}
            className="input"
            type="search"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        {api.tags.length > 0 && (
          <div className="field">
            <label htmlFor={`${id}-tag`}>{w.tag}</label>
            <select id={`${id}-tag`} className="input" value={tag} onChange={({ target }) => setTag(target.value)}>
              <option value="">{w.allTags}</option>
              {api.tags.map(({ name, count }) => (
                <option key={name} value={name}>{`${name} (${count})`}</option>
              ))}
            </select>
          </div>
        )}
        <Button
          isDisabled={possible.length === 0}
          onPress={() => choose(new Set([...chosen, ...possible.map(({ name }) => name)]))}
        >
          {w.chooseShown(possible.length)}
        </Button>
        <Button isDisabled={chosen.size === 0} onPress={() => choose(new Set())}>
          {w.clear}
        </Button>
      </div>
      <p role="status" className="quiet">
        {w.chosen(chosen.size, api.operationCount)}
        {api.operationCount > api.operations.length && ` ${w.limited(api.operations.length, api.operationCount)}`}
      </p>
      {found.length === 0 && <p className="quiet">{w.noMatch}</p>}
      <ul className="connect-operations" aria-label={w.operations}>
        {found.slice(0, limit).map((operation) => (
          <OperationRow
            key={operation.name}
            operation={operation}
            isChosen={chosen.has(operation.name)}
            toggle={toggle}
          />
        ))}
      </ul>
      {rest > 0 && <Button onPress={() => setLimit(limit + pageSize)}>{w.more(rest)}</Button>}
      {unfit.length > 0 && (
        <details>
          <summary>{w.cannot(unfit.length)}</summary>
          <ul className="connect-skipped">
            {unfit.slice(0, 200).map(({ operation, reason }) => (
              <li key={operation + reason}>
                <span className="connect-place">{operation}</span> <span className="quiet">{reason}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface RowProps {
  operation: Operation;
  isChosen: boolean;
  toggle: (name: string, isChosen: boolean) => void;
}

const OperationRow = memo(
  function OperationRow({
    operation: { name, method, path, title, isDeprecated, reason },
    isChosen,
    toggle,
  }: RowProps) {
    return (
      <li>
        <label className="connect-operation" title={reason ?? undefined}>
          <input
            type="checkbox"
            checked={isChosen}
            disabled={reason !== null}
            onChange={({ target }) => toggle(name, target.checked)}
          />
          <span className="connect-method">{method}</span>
          <span className="connect-path">{path}</span>
          <span className="connect-title">
            {title !== `${method} ${path}` && title}
            {isDeprecated && <span className="quiet"> {w.deprecated}</span>}
          </span>
        </label>
      </li>
    );
  },
  // Each choice makes a new `toggle`. A row that kept an older one would undo the choices made since.
  (before, after) =>
    before.operation === after.operation && before.isChosen === after.isChosen && before.toggle === after.toggle,
);
