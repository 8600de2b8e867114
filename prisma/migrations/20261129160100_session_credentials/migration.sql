-- Credentials that sign in to an API and send the session token of its answer.
ALTER TYPE auth_kind ADD VALUE 'session';
