import { useNavigate, useSearch } from '@tanstack/react-router';
import { BlockPreview } from './block-preview.tsx';
import { manifestOf } from './manifest.ts';
import { themeWords as w } from './themes.words.ts';

/** The blocks of a version, one of them drawn; the address names it. */
export function BlockPreviews({ version }: { version: { id: string; manifest: unknown } }) {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { blocks } = manifestOf(version);
  const chosen = blocks.find(({ id }) => id === address['block']) ?? blocks[0];
  const choose = (block: string) =>
    void navigate({
      to: '.',
      search: (previous: Record<string, unknown>) => ({ ...previous, block }),
      replace: true,
      resetScroll: false,
    });
  if (!chosen) return null;
  return (
    <>
      <div className="block-choices" role="group" aria-label={w.blocks}>
        {blocks.map(({ id, title }) => (
          <button key={id} type="button" className="button" aria-pressed={id === chosen.id} onClick={() => choose(id)}>
            {title}
          </button>
        ))}
      </div>
      {chosen.description !== undefined && <p>{chosen.description}</p>}
      <BlockPreview key={`${version.id}/${chosen.id}`} extensionId={version.id} block={chosen} />
    </>
  );
}
