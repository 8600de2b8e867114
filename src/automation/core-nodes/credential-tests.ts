import type { CredentialTest } from '#src/automation/node-api/builtin-package.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { withRemoteFiles } from './remote-files/remote-files.ts';
import { sendStatement } from './sql/send-statement.ts';

const loggedIn = 'The server accepted the login.';

/** The ports open the credential under test, whatever id they are given. */
const tested = 'tested';

const testFiles: CredentialTest = async (ctx) => {
  await withRemoteFiles(ctx, tested, async () => undefined);
  return loggedIn;
};

const testBucket: CredentialTest = async (ctx) => {
  try {
    const listing = { directory: '', prefix: '', after: '', limit: 1 };
    await withRemoteFiles(ctx, tested, (files) => files.list(listing));
    return 'The service lists the bucket.';
  } catch (error) {
    // A key may be limited to reading and writing files.
    if (error instanceof NodeError && error.code === 'S3_PERMISSION')
      return 'The service accepts the access key, but does not permit to list the bucket. Nothing else was tested.';
    throw error;
  }
};

const testMailServer: CredentialTest = async ({ ports, signal }) => {
  const [{ checkLogin }, { readSmtpServer }] = await Promise.all([
    import('./send-mail/smtp-send.ts'),
    import('./send-mail/smtp-server.ts'),
  ]);
  const server = await readSmtpServer(await ports.credentials.open(tested));
  await checkLogin(ports.sockets, server, signal);
  return server.auth ? loggedIn : 'The server can be reached. The credential has no user, so nobody logged in.';
};

const testMailbox: CredentialTest = async (ctx) => {
  const { openMailbox } = await import('./mailboxes/imap-mailbox.ts');
  await openMailbox(ctx, { credential: tested, mailbox: 'INBOX', readOnly: true }, async () => undefined);
  return loggedIn;
};

const testDatabase: CredentialTest = async (ctx) => {
  await sendStatement(tested, ctx, {
    statement: 'SELECT 1',
    parameters: [],
    isRead: true,
    timeoutMs: 8_000,
    addRow: () => true,
  });
  return 'The database accepted the login and answered a query.';
};

/** The tests of the credential types that log in to a server. */
export const coreCredentialTests: Readonly<Record<string, CredentialTest>> = {
  'core:sftp': testFiles,
  'core:ftp': testFiles,
  'core:s3': testBucket,
  'core:smtp': testMailServer,
  'core:imap': testMailbox,
  'core:imap-oauth2': testMailbox,
  'core:postgres': testDatabase,
  'core:mysql': testDatabase,
};
