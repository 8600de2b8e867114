import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const SftpAccountRow = graphql(`
  fragment SftpAccountRow on SftpAccount {
    id name host port username loginBy hostKey
    viewerCan { update delete }
    createdAt updatedAt
  }
`);

export const SftpAccounts = rows('sftpAccounts', SftpAccountRow);

export const SftpAccountPage = page('sftpAccount', SftpAccountRow);

export const CreateSftpAccount = mutation('createSftpAccount', 'sftpAccount { id }');

export const UpdateSftpAccount = mutation('updateSftpAccount', 'sftpAccount { ...SftpAccountRow }', [SftpAccountRow]);

export const AcceptSftpHostKey = mutation('acceptSftpHostKey', 'sftpAccount { ...SftpAccountRow }', [SftpAccountRow]);

export const DeleteSftpAccount = mutation('deleteSftpAccount', 'deletedId');
