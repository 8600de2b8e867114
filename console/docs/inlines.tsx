import { Fragment } from 'react';
import { PageLink } from './docs-link.tsx';
import { fillAddress, serverAddress } from './server-address.ts';
import type { Inline } from './tree.ts';

const fill = (text: string): string => fillAddress(text, serverAddress(document.baseURI));

/** Text with its links, code and emphasis. */
export function Inlines({ of }: { of: readonly Inline[] }) {
  return of.map((child, index) => (
    <Fragment key={index}>{typeof child === 'string' ? fill(child) : <Element of={child} />}</Fragment>
  ));
}

function Element({ of }: { of: Exclude<Inline, string> }) {
  switch (of.type) {
    case 'code':
      return <code>{fill(of.text)}</code>;
    case 'strong':
      return (
        <strong>
          <Inlines of={of.children} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines of={of.children} />
        </em>
      );
    case 'link':
      return (
        <PageLink page={of.page} {...(of.anchor && { anchor: of.anchor })}>
          <Inlines of={of.children} />
        </PageLink>
      );
    case 'outside':
      // In another tab, because the session lives in the memory of this one.
      return (
        <a href={fill(of.href)} target="_blank" rel="noreferrer">
          <Inlines of={of.children} />
        </a>
      );
    case 'anchor':
      return <span id={of.id} />;
    default:
      return <br />;
  }
}
