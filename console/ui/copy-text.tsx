import { common } from '#console/words/common.words.ts';
import { notify } from './notices.ts';

type Props = { text: string; label?: string } | { text: () => string; label: string };

/** Text in monospace that a click copies; a function makes a text that is long only then. */
export function CopyText({ text, label = text as string }: Props) {
  const copy = (event: React.MouseEvent) => {
    event.stopPropagation();
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => notify({ kind: 'done', text: common.copied }),
      () => notify({ kind: 'failed', text: common.copyFailed }),
    );
  };
  return (
    <button
      type="button"
      className="copy-text"
      title={typeof text === 'string' ? common.copyHint(text) : label}
      onClick={copy}
    >
      {label}
    </button>
  );
}
