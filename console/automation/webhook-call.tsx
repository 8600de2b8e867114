import { useParams } from '@tanstack/react-router';
import { CodeExample } from '#console/docs/code-example.tsx';
import { DocsLink } from '#console/docs/docs-link.tsx';
import { CopyText } from '#console/ui/copy-text.tsx';
import { HelpText } from '#console/ui/help-text.tsx';
import { ListLink } from '#console/ui/object-link.tsx';
import { webhookCallWords as w } from './webhook-call.words.ts';
import { webhookCurl } from './webhook-curl.ts';

/** The address of a webhook trigger, and an example of its call with what proves the caller; nothing for other triggers. */
export function WebhookCall({ trigger: { url, config } }: { trigger: { url: string | null; config: unknown } }) {
  const { tenant = '' } = useParams({ strict: false });
  if (url === null) return null;
  const { address, command, secret } = webhookCurl(url, config, tenant);
  return (
    <div className="webhook-call">
      <div className="field">
        <span className="field-label">{w.address}</span>
        <CopyText text={address} />
        <span className="field-help">{w.addressHelp}</span>
      </div>
      <CodeExample label={w.example} text={command} />
      <p className="field-help">
        <HelpText text={secret === null ? w.token : w.secret(secret)} />
      </p>
      <p className="webhook-call-links">
        {secret !== null && <ListLink noun="secrets">{w.secrets}</ListLink>}
        <DocsLink page="webhooks" anchor={secret === null ? 'call-it' : 'a-sender-without-a-token'}>
          {w.docs}
        </DocsLink>
      </p>
    </div>
  );
}
