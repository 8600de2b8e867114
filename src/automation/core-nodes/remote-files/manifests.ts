import { field, node, required } from '#src/automation/core-nodes/manifest-parts.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';

const credential = field('credential', 'credentials-ref', 'Server', {
  ...required,
  credential_types: ['core:sftp', 'core:ftp', 'core:s3'],
});
const bucketCredential = field('credential', 'credentials-ref', 'Bucket', {
  ...required,
  credential_types: ['core:s3'],
});
const path = field('path', 'string', 'Path', { ...required, help: 'For example `out/orders.csv`.' });

/** The nodes for files on other servers. The type of the credential decides the protocol. */
export const remoteFileManifests: readonly NodeManifest[] = [
  node(
    'list-files',
    'action',
    'List files',
    'Lists the files of a directory on an SFTP or FTP server or in an S3 bucket, by name.',
    [
      credential,
      field('path', 'string', 'Directory', {
        help: 'The directory of the login, or the whole bucket, if it is empty.',
      }),
      field('prefix', 'string', 'Names begin with'),
      field('after', 'string', 'Names after', { help: 'Continues a list behind the name that ended it.' }),
      field('limit', 'number', 'At most', { default: 1000, help: 'Up to 10,000 files.' }),
    ],
    [
      {
        name: 'files',
        type: 'array',
        description: 'Each is {name, path, size, modified_at}. The time is null if a server does not tell.',
      },
      { name: 'complete', type: 'boolean', description: 'False if there are more files than the limit.' },
    ],
  ),
  node(
    'get-file',
    'action',
    'Get file',
    'Fetches a file from an SFTP or FTP server or an S3 bucket.',
    [credential, path],
    [
      { name: 'file', type: 'object', description: 'A reference for other nodes.' },
      { name: 'modified_at', type: 'string' },
    ],
  ),
  node(
    'put-file',
    'action',
    'Put file',
    'Writes a file to an SFTP or FTP server or an S3 bucket, over one of that name. Readers never see a part of it.',
    [
      credential,
      field('path', 'string', 'Path', {
        ...required,
        help: 'For example `in/orders.csv`. After a slash at its end, the file keeps its name.',
      }),
      field('content', 'expression', 'Content', { ...required, help: 'The file of another step, or text.' }),
    ],
    [
      { name: 'path', type: 'string' },
      { name: 'size', type: 'number' },
    ],
  ),
  node(
    'move-file',
    'action',
    'Move file',
    'Renames a file on an SFTP or FTP server or in an S3 bucket, over one of that name.',
    [credential, path, field('to', 'string', 'New path', required)],
    [{ name: 'path', type: 'string' }],
  ),
  node(
    'delete-file',
    'action',
    'Delete file',
    'Deletes a file from an SFTP or FTP server or an S3 bucket. One that is not there is no failure.',
    [credential, path],
  ),
  node(
    'file-link',
    'action',
    'Link to file',
    'Makes a link by which anyone can fetch a file from an S3 bucket for a while.',
    [
      bucketCredential,
      path,
      field('seconds', 'number', 'Valid for', { default: 3600, help: 'Seconds, at most 604,800 (a week).' }),
    ],
    [
      { name: 'url', type: 'string' },
      { name: 'expires_at', type: 'string' },
    ],
  ),
];
