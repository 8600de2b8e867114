import { useEffect, useState } from 'react';
import { bytesText, numberText } from '#console/words/values.ts';
import { newImportWords as w } from './new-import.words.ts';
import type { UploadState } from './use-upload.ts';

/** Takes a file that is dropped on it, or chosen by mouse or keyboard, and shows how far it has been sent. */
export function FileDrop({ upload, choose }: { upload: UploadState | undefined; choose: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  // Anywhere on the page: a browser leaves it for a file that is dropped beside the field.
  useEffect(() => {
    const stop = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', isOver: boolean, choose?: (file: File) => void) =>
      window.addEventListener(
        type,
        (event) => {
          if (!event.dataTransfer?.types.includes('Files')) return;
          event.preventDefault();
          setOver(isOver);
          const file = event.dataTransfer.files[0];
          if (file) choose?.(file);
        },
        stop,
      );
    listen('dragover', true);
    listen('dragleave', false);
    listen('drop', false, choose);
    return () => stop.abort();
  }, [choose]);
  const isSending = upload && !upload.isDone && !upload.fault;
  return (
    <>
      <label className={isOver ? 'file-drop file-drop-over' : 'file-drop'}>
        <input
          type="file"
          className="file-input"
          aria-label={upload ? w.chooseOther : w.choose}
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file) choose(file);
            // The same file, mended meanwhile, may be chosen again.
            target.value = '';
          }}
        />
        {upload ? (
          <>
            <b dir="auto">{upload.file.name}</b>
            <span className="quiet">{bytesText(upload.file.size)}</span>
            <span className="file-other">{w.chooseOther}</span>
          </>
        ) : (
          <>
            <b>{w.drop}</b>
            <span className="quiet">{w.dropHelp}</span>
          </>
        )}
      </label>
      {isSending && (
        <span className="job-progress" role="status">
          <progress max={1} value={upload.progress} aria-label={w.sending} />
          {upload.progress < 1 ? `${numberText(Math.floor(upload.progress * 100))} %` : w.looking}
        </span>
      )}
      {upload?.fault && (
        <p className="refusal" role="alert">
          {upload.fault}
        </p>
      )}
    </>
  );
}
