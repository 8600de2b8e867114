import {
  isObject,
  listMember,
  member,
  textMember,
  type JsonObject,
} from '#src/automation/connectors/descriptions/untrusted-json.ts';

/** A request of a collection, with the properties that it inherits from its folders. */
export interface WrittenRequest {
  name: string;
  /** Names of the folders around it, the outermost first. */
  folders: readonly string[];
  request: JsonObject;
  /** Saved answers. */
  responses: readonly unknown[];
  /** The auth of the request, else of the nearest folder that has one. */
  auth: unknown;
}

/** Lists every request of a collection, in its order. */
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
  // A request may consist of only its URL.
  const request = isObject(written) ? written : { method: 'GET', url: written };
  return {
    name,
    folders,
    request,
    responses: listMember(item, 'response'),
    auth: member(request, 'auth') ?? inherited,
  };
}
