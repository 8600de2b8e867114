import { useState } from 'react';
import { useQuery } from 'urql';
import { Button } from '#console/ui/button.tsx';
import { CopyText } from '#console/ui/copy-text.tsx';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { SecretOfExtension } from './extensions.documents.ts';
import { extensionWords as w } from './extensions.words.ts';

/** What the site of an extension verifies requests with, once a person asks for it. */
export function RequestSecret({ id }: { id: string }) {
  const [isShown, setShown] = useState(false);
  const [{ data, error }, read] = useQuery({
    query: SecretOfExtension,
    variables: { id },
    requestPolicy: 'network-only',
    pause: !isShown,
  });
  if (!isShown)
    return (
      <div>
        <Button onPress={() => setShown(true)}>{w.showSecret}</Button>
      </div>
    );
  if (error) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!data) return <Skeleton rows={1} />;
  const secret = data.extension?.requestSecret;
  return secret ? <CopyText text={secret} /> : <p className="quiet">{w.noSecret}</p>;
}
