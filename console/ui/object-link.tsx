import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useContext } from 'react';
import { toAddressId } from './address-id.ts';
import { TabStop } from './tab-stop.ts';

/** A link to the page of an object. */
export function ObjectLink({
  noun,
  id,
  search,
  tenant: other,
  children,
  className,
}: {
  noun: string;
  id: string;
  search?: Record<string, string>;
  /** The tenant of the object, if it is not the one of the page. */
  tenant?: string;
  children: ReactNode;
  className?: string;
}) {
  const { tenant = '' } = useParams({ strict: false });
  const isTabStop = useContext(TabStop);
  return (
    <Link
      to="/t/$tenant/$noun/$id"
      params={{ tenant: other ?? tenant, noun, id: toAddressId(id) }}
      {...(search && { search })}
      {...(className && { className })}
      {...(!isTabStop && { tabIndex: -1 })}
      onClick={(event) => event.stopPropagation()}
    >
      {children}
    </Link>
  );
}

/** A link to a list, with its filter. */
export function ListLink({
  noun,
  search = {},
  children,
  className,
  title,
}: {
  noun: string;
  search?: Record<string, string>;
  children: ReactNode;
  className?: string;
  title?: string;
}) {
  const { tenant = '' } = useParams({ strict: false });
  return (
    <Link
      to="/t/$tenant/$noun"
      params={{ tenant, noun }}
      search={search}
      {...(className && { className })}
      {...(title && { title })}
    >
      {children}
    </Link>
  );
}
