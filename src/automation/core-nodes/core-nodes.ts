import type { BuiltinNode } from '#src/automation/node-api/builtin-node.ts';
import { codeNode } from './code.ts';
import { emitEventNode } from './emit-event.ts';
import { failNode } from './fail.ts';
import { filterNode } from './filter.ts';
import { forEachNode } from './for-each.ts';
import { httpRequestNode } from './http-request.ts';
import { ifNode } from './if.ts';
import { getMailNode } from './mailboxes/get-mail.ts';
import { listMailsNode } from './mailboxes/list-mails.ts';
import { markMailNode, moveMailNode } from './mailboxes/mark-and-move.ts';
import { mergeNode } from './merge.ts';
import { parseNode } from './parse.ts';
import { fileLinkNode } from './remote-files/file-link.ts';
import { getFileNode } from './remote-files/get-file.ts';
import { listFilesNode } from './remote-files/list-files.ts';
import { deleteFileNode, moveFileNode } from './remote-files/move-and-delete.ts';
import { putFileNode } from './remote-files/put-file.ts';
import { renderNode } from './render.ts';
import { respondNode } from './respond.ts';
import { sendMailNode } from './send-mail/send-mail.ts';
import { setNode } from './set.ts';
import { sqlNode } from './sql.ts';
import { stateGetNode } from './state-get.ts';
import { stateSetNode } from './state-set.ts';
import { subWorkflowNode } from './sub-workflow.ts';
import { switchNode } from './switch.ts';
import { waitNode } from './wait.ts';

/** The nodes of package `core`. Their manifests, which editors see, are in manifests.ts. */
export const coreNodes: readonly BuiltinNode[] = [
  setNode,
  ifNode,
  switchNode,
  mergeNode,
  filterNode,
  forEachNode,
  waitNode,
  subWorkflowNode,
  httpRequestNode,
  respondNode,
  stateGetNode,
  stateSetNode,
  emitEventNode,
  parseNode,
  renderNode,
  codeNode,
  sqlNode,
  failNode,
  listFilesNode,
  getFileNode,
  putFileNode,
  moveFileNode,
  deleteFileNode,
  fileLinkNode,
  sendMailNode,
  listMailsNode,
  getMailNode,
  markMailNode,
  moveMailNode,
];
