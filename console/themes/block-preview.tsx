import { useEffect, useState } from 'react';
import { type CombinedError, useQuery } from 'urql';
import { Button } from '#console/ui/button.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { defaultsOf, type Props, settingsOf, withValue } from './block-settings.ts';
import type { Block } from './manifest.ts';
import { PreviewFrame } from './preview-frame.tsx';
import { PreviewBlock } from './previews.documents.ts';
import { SettingField } from './setting-field.tsx';
import { themeWords as w } from './themes.words.ts';

/** A block is rendered anew once the settings have stayed for this long, in milliseconds. */
const settleMs = 300;

/** A block of a version as its extension renders it, beside its settings, which redraw it. */
export function BlockPreview({ extensionId, block }: { extensionId: string; block: Block }) {
  const [props, setProps] = useState(() => defaultsOf(block));
  const asked = useSettled(props);
  const [{ data, error, fetching }, read] = useQuery({
    query: PreviewBlock,
    variables: { extensionId, block: block.id, props: asked },
    requestPolicy: 'network-only',
  });
  const faults = error ? faultsOf(error) : {};
  const isRefused = Object.keys(faults).length > 0;
  const settings = settingsOf(block);
  return (
    <div className="block-preview">
      <div className="block-preview-shown" aria-busy={fetching}>
        {error && !isRefused ? (
          <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />
        ) : (
          <Rendered title={block.title} block={data?.previewBlock} />
        )}
        <p className="quiet">
          {w.placedOn(block.enabledOn.join(', '))} {block.javascript === true && w.loadsScript}
        </p>
      </div>
      <form
        className="form block-preview-settings"
        aria-label={w.settings}
        onSubmit={(event) => event.preventDefault()}
      >
        {settings.length === 0 && <p className="quiet">{w.noSettings}</p>}
        {settings.map(([key, setting]) => (
          <SettingField
            key={key}
            name={key}
            setting={setting}
            value={props[key]}
            error={faults[key]}
            set={(value) => setProps(withValue(props, key, value))}
          />
        ))}
        {settings.length > 0 && (
          <div>
            <Button onPress={() => setProps(defaultsOf(block))}>{w.toDefaults}</Button>
          </div>
        )}
      </form>
    </div>
  );
}

interface RenderedProps {
  title: string;
  /** Undefined while it is rendered for the first time. */
  block:
    | { html: string; status: string; reason: string | null; why: string | null; stylesheet: string | null }
    | null
    | undefined;
}

/** Keeps what was drawn last until there is something new. */
function Rendered({ title, block }: RenderedProps) {
  const [last, setLast] = useState(block);
  if (block !== undefined && block !== last) setLast(block);
  const shown = block === undefined ? last : block;
  if (shown === undefined) return <Skeleton rows={6} />;
  if (shown === null) return <p role="status">{w.noBlock}</p>;
  if (shown.status === 'EMPTY')
    return (
      <p role="status" className="block-preview-empty">
        {w.emptyBlock(w.reason(shown.reason ?? ''))} {shown.why}
      </p>
    );
  return <PreviewFrame shown={shown} title={w.preview(title)} />;
}

function useSettled(props: Props): Props {
  const [settled, setSettled] = useState(props);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(props), settleMs);
    return () => clearTimeout(timer);
  }, [props]);
  return settled;
}

/** The sentences about settings, by their key. */
function faultsOf({ graphQLErrors }: CombinedError): Readonly<Record<string, string>> {
  const fields = (graphQLErrors[0]?.extensions['fields'] ?? {}) as Record<string, string[]>;
  const faults = Object.entries(fields).filter(([path]) => path.startsWith('props.'));
  return Object.fromEntries(faults.map(([path, messages]) => [path.slice('props.'.length), messages.join(' ')]));
}
