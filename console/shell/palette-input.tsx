import { shellWords } from './shell.words.ts';

/** Stands for the palette while its code is loaded, and takes what is typed meanwhile. */
export function PaletteInput({
  typed,
  setTyped,
  close,
}: {
  typed: string;
  setTyped: (typed: string) => void;
  close: () => void;
}) {
  return (
    <div className="overlay">
      <div className="palette" role="dialog" aria-label={shellWords.palette}>
        <input
          className="input palette-input"
          type="search"
          aria-label={shellWords.palette}
          placeholder={shellWords.paletteHint}
          maxLength={191}
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && close()}
        />
      </div>
    </div>
  );
}
