import { Handle, type NodeProps, Position, useStore } from '@xyflow/react';
import { memo } from 'react';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import { branchTop } from '#console/automation/editor/node-shape.ts';
import { trialWords as t } from '#console/automation/editor/trial/trial.words.ts';
import { ToneShape } from '#console/ui/state.tsx';
import { enumWord } from '#console/words/enums.ts';
import type { CanvasNode } from './canvas-elements.ts';
import { isSketch } from './drawn-size.ts';

/** A node, a trigger or a loop. Its button is what keyboard and screen reader reach; one of all of them is in the tab order. */
export const NodeView = memo(function NodeView({ id, data }: NodeProps<CanvasNode>) {
  const { name, kind, branches, isTrigger, isLoop, isEmpty, isUnknown, problems, mark, isPinned, isStale } = data;
  const isSketched = useStore(isSketch);
  const look = `editor-node${isLoop ? ' is-loop' : ''}${isTrigger ? ' is-trigger' : ''}${mark ? ` is-run tone-${mark.tone}` : ''}${isStale ? ' is-stale' : ''}`;
  if (isSketched) return <div className={look} data-path={id} />;
  const word = isTrigger ? w.trigger(enumWord(kind)) : isUnknown ? w.unknownNode(kind) : kind;
  return (
    <>
      {!isTrigger && <Handle type="target" position={Position.Left} style={{ top: 22 }} />}
      <div className={look} data-path={id} title={isStale ? t.stale : undefined}>
        <span className="editor-node-name" dir="auto">
          {name}
        </span>
        {mark ? (
          <span className="editor-node-kind editor-node-mark" title={word}>
            <ToneShape tone={mark.tone} />
            {mark.text}
          </span>
        ) : (
          <span className="editor-node-kind">{word}</span>
        )}
        {isEmpty && <span className="editor-loop-empty">{w.emptyLoop}</span>}
        {isPinned && (
          <span className="editor-node-pin" title={t.isPinned}>
            <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
              <path d="M4 1h4v1L7.5 5 10 7v1H6.6L6 12 5.4 8H2V7l2.5-2L4 2z" />
            </svg>
            <span className="sr-only">{t.isPinned}</span>
          </span>
        )}
        {problems > 0 && (
          <span className="editor-node-problems" title={w.problemCount(problems)}>
            ×{problems}
          </span>
        )}
      </div>
      {branches.map((branch, index) => (
        <Handle
          key={branch}
          id={branch}
          type="source"
          position={Position.Right}
          style={{ top: branchTop(index, branches.length) }}
        >
          {branches.length > 1 && <span className="editor-branch">{branch}</span>}
        </Handle>
      ))}
    </>
  );
});
