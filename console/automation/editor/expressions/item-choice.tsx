import { useId } from 'react';
import { idOf } from '#console/automation/editor/model/graph.ts';
import type { Sample } from '#console/automation/editor/sample/use-sample.ts';
import { expressionWords as w } from './expressions.words.ts';
import type { ItemSource } from './use-node-data.ts';

/** Which item of a loop the data is of. Arrow keys go to the items beside it. */
export function ItemChoice({
  source: { nodeId, count },
  items: { itemOf, chooseItem },
}: {
  source: ItemSource;
  items: Sample['items'];
}) {
  const id = useId();
  const item = itemOf(nodeId);
  if (count === null) return null;
  if (count === 0) return <p className="quiet">{w.noItems(idOf(nodeId))}</p>;
  return (
    <div className="field item-choice">
      <label className="field-label" htmlFor={id}>
        {w.itemOf(idOf(nodeId))}
      </label>
      <span>
        <input
          id={id}
          className="input"
          type="number"
          min={1}
          max={count}
          aria-describedby={`${id}-count`}
          value={item + 1}
          onChange={({ target }) => {
            const wanted = Math.trunc(Number(target.value)) - 1;
            chooseItem(nodeId, Math.min(Math.max(0, wanted), count - 1));
          }}
        />
        <span className="quiet" id={`${id}-count`}>
          {w.ofItems(count)}
        </span>
      </span>
    </div>
  );
}
