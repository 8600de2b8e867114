import { useEffect, useRef } from 'react';
import { pageNonce } from '#console/ui/page-nonce.ts';
import { previewDocument, type Shown } from './preview-document.ts';

/** The part of Trusted Types that a frame needs, whose value is typed as the text that `srcdoc` takes in browsers without them. */
interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string },
  ) => { createHTML: (html: string) => string };
}

/** The one policy that the console's Content-Security-Policy allows. Its result goes into a frame that runs no scripts, and nowhere else. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('causeway-preview', {
  createHTML: (html) => html,
});

/** What an extension has rendered, in a frame without scripts, forms, links and an origin. */
export function PreviewFrame({ shown, title }: { shown: Shown; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { html, stylesheet } = shown;
  useEffect(() => {
    if (!frame.current) return;
    const text = previewDocument({ html, stylesheet }, pageNonce());
    frame.current.srcdoc = policy?.createHTML(text) ?? text;
  }, [html, stylesheet]);
  return <iframe ref={frame} className="block-preview-frame" title={title} sandbox="" />;
}
