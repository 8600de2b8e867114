import {
  isObject,
  listMember,
  member,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';

/** A request of a collection, with what its folders say of it. */
export interface WrittenRequest {
  name: string;
  /** Names of its folders, the outermost first. */
  folders: readonly string[];
  request: JsonObject;
  /** Saved answers. */
  responses: readonly unknown[];
  /** Of the request, else of the nearest folder that has one. */
  auth: unknown;
}

/** Every request of a collection, in its order. */
export function listRequests(collection: JsonObject): WrittenRequest[] {
  const found: WrittenRequest[] = [];
  const walk = (owner: JsonObject, folders: readonly string[], inherited: unknown): void => {
    const auth = member(owner, 'auth') ?? inherited;
    for (const item of listMember(owner, 'item').filter(isObject)) {
      const name = textMember(item, 'name');
      if (Array.isArray(item['item'])) walk(item, [...folders, name], auth);
      else if (Object.hasOwn(item, 'request')) found.push(readRequest(item, name, folders, auth));
    }
  };
  walk(collection, [], undefined);
  return found;
}

function readRequest(item: JsonObject, name: string, folders: readonly string[], inherited: unknown): WrittenRequest {
  const written = item['request'];
  // A request may be no more than its URL.
  const request = isObject(written) ? written : { method: 'GET', url: written };
  return {
    name,
    folders,
    request,
    responses: listMember(item, 'response'),
    auth: member(request, 'auth') ?? inherited,
  };
}
