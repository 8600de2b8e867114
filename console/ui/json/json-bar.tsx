import { CopyText } from '#console/ui/copy-text.tsx';
import { common } from '#console/words/common.words.ts';
import { type JsonOutline, type JsonRow, pathOf } from './json-outline.ts';

/** A value that does not fit its row is shown below the tree, up to so many characters. */
const longFrom = 60;
const longest = 20_000;

/** The path of the chosen row, and its value where that is long; both are copied from here. */
export function JsonBar({ outline, row, root }: { outline: JsonOutline; row: JsonRow; root: string }) {
  const path = pathOf(row, root);
  const isText = !outline.hasMembers(row);
  const value = isText ? outline.value(row) : '';
  return (
    <div className="json-bar">
      <code className="json-path">{path}</code>
      <CopyText text={path} label={common.path} />
      <CopyText text={() => outline.value(row)} label={common.copyValue} />
      {value.length > longFrom && (
        <pre className="json-long" dir="auto">
          {value.length > longest ? `${value.slice(0, longest)}…` : value}
        </pre>
      )}
    </div>
  );
}
