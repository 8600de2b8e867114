import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toAddressId } from './address-id.ts';

/** A link to the page of an object. */
export function ObjectLink({
  noun,
  id,
  children,
  className,
}: {
  noun: string;
  id: string;
  children: ReactNode;
  className?: string;
}) {
  const { tenant = '' } = useParams({ strict: false });
  return (
    <Link
      to="/t/$tenant/$noun/$id"
      params={{ tenant, noun, id: toAddressId(id) }}
      {...(className && { className })}
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
}: {
  noun: string;
  search?: Record<string, string>;
  children: ReactNode;
  className?: string;
}) {
  const { tenant = '' } = useParams({ strict: false });
  return (
    <Link to="/t/$tenant/$noun" params={{ tenant, noun }} search={search} {...(className && { className })}>
      {children}
    </Link>
  );
}
