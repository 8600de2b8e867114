import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DocsPageName } from './pages.ts';

interface Target {
  page: string;
  anchor?: string;
  className?: string;
  label?: string;
  isCurrent?: boolean;
  children: ReactNode;
}

/** A link to a page of the documentation, whose name may come from the pages themselves. */
export function PageLink({ page, anchor, className, label, isCurrent = false, children }: Target) {
  return (
    <Link
      to="/docs/$page"
      params={{ page }}
      {...(anchor && { hash: anchor })}
      {...(className && { className })}
      aria-label={label}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </Link>
  );
}

/** A link from a screen to the page that explains it. */
export function DocsLink({ page, anchor, children }: { page: DocsPageName; anchor?: string; children: ReactNode }) {
  return (
    <PageLink page={page} className="docs-link" {...(anchor && { anchor })}>
      {children}
    </PageLink>
  );
}
