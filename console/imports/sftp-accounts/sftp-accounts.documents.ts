import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const SftpAccountRow = graphql(`
  fragment SftpAccountRow on SftpAccount {
    id
    name
    host
    port
    username
    loginBy
    hostKey
    viewerCan {
      update
      delete
    }
    createdAt
    updatedAt
  }
`);

export const SftpAccounts = graphql(
  `
    query SftpAccounts($first: Int, $after: String, $orderBy: SftpAccountOrder) {
      sftpAccounts(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...SftpAccountRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [SftpAccountRow],
);

export const SftpAccountPage = graphql(
  `
    query SftpAccountPage($id: ID!) {
      sftpAccount(id: $id) {
        ...SftpAccountRow
      }
    }
  `,
  [SftpAccountRow],
);

export const CreateSftpAccount = graphql(
  `
    mutation CreateSftpAccount($input: CreateSftpAccountInput!) {
      createSftpAccount(input: $input) {
        ... on CreateSftpAccountPayload {
          sftpAccount {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateSftpAccount = graphql(
  `
    mutation UpdateSftpAccount($input: UpdateSftpAccountInput!) {
      updateSftpAccount(input: $input) {
        ... on UpdateSftpAccountPayload {
          sftpAccount {
            ...SftpAccountRow
          }
        }
        ...Refusal
      }
    }
  `,
  [SftpAccountRow, Refusal],
);

export const AcceptSftpHostKey = graphql(
  `
    mutation AcceptSftpHostKey($input: AcceptSftpHostKeyInput!) {
      acceptSftpHostKey(input: $input) {
        ... on AcceptSftpHostKeyPayload {
          sftpAccount {
            ...SftpAccountRow
          }
        }
        ...Refusal
      }
    }
  `,
  [SftpAccountRow, Refusal],
);

export const DeleteSftpAccount = graphql(
  `
    mutation DeleteSftpAccount($input: DeleteSftpAccountInput!) {
      deleteSftpAccount(input: $input) {
        ... on DeleteSftpAccountPayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
