import { type DragEvent, useState } from 'react';
import { bytesText, numberText } from '#console/words/values.ts';
import { newImportWords as w } from './new-import.words.ts';
import type { UploadState } from './use-upload.ts';

/** Takes a file that is dropped on it, or chosen by mouse or keyboard, and shows how far it has been sent. */
export function FileDrop({ upload, choose }: { upload: UploadState | undefined; choose: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) choose(file);
  };
  const isSending = upload && !upload.isDone && !upload.fault;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the input in it takes files by mouse and keyboard; a label alone takes those that are dropped */}
      <label
        className={isOver ? 'file-drop file-drop-over' : 'file-drop'}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
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
