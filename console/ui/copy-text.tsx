import { common } from '#console/words/common.words.ts';
import { notify } from './notices.ts';

/** Text in monospace that a click copies. */
export function CopyText({ text, label = text }: { text: string; label?: string }) {
  const copy = (event: React.MouseEvent) => {
    event.stopPropagation();
    navigator.clipboard.writeText(text).then(
      () => notify({ kind: 'done', text: common.copied }),
      () => notify({ kind: 'failed', text: common.copyFailed }),
    );
  };
  return (
    <button type="button" className="copy-text" title={common.copyHint(text)} onClick={copy}>
      {label}
    </button>
  );
}
