import { FileFault } from '#src/imports/formats/records/records.ts';

/** Namespaces by the prefixes that a profile gives them; "" is that of elements without a prefix. */
export type Namespaces = Readonly<Record<string, string>>;

/** Names of a profile, as names of the file are compared with them. */
export interface ProfileNames {
  element: (name: string) => string;
  attribute: (name: string) => string;
}

/** Names of a file, where some declarations of namespaces hold. */
export interface XmlScope extends ProfileNames {
  /** The attributes by their names. */
  attributes: (attributes: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** The scope within an element that has these attributes. */
  within: (attributes: Readonly<Record<string, string>>) => XmlScope;
}

type Attributes = Readonly<Record<string, string>>;

const identity = (name: string): string => name;

/** Names are as they are written, with their prefixes. */
export const writtenNames: XmlScope = {
  element: identity,
  attribute: identity,
  attributes: (attributes) => attributes,
  within: () => writtenNames,
};

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
/** Names and declarations that a scope remembers, as a file may have any number. */
const maxRemembered = 1_000;

const expanded = (uri: string, local: string): string => (uri === '' ? local : `{${uri}}${local}`);
const isDeclaration = (attribute: string): boolean => attribute === 'xmlns' || attribute.startsWith('xmlns:');

/** Names by their namespaces. `unknown` answers what is thrown for a prefix without one. */
function namesIn(namespaces: Attributes, unknown: (prefix: string) => FileFault): ProfileNames {
  const named = (name: string, byDefault: string): string => {
    const colon = name.indexOf(':');
    if (colon === -1) return expanded(byDefault, name);
    const prefix = name.slice(0, colon);
    const uri = prefix === 'xml' ? xmlNamespace : Object.hasOwn(namespaces, prefix) ? namespaces[prefix] : undefined;
    if (uri === undefined || uri === '') throw unknown(prefix);
    return expanded(uri, name.slice(colon + 1));
  };
  const byDefault = Object.hasOwn(namespaces, '') ? (namespaces[''] as string) : '';
  return { element: (name) => named(name, byDefault), attribute: (name) => named(name, '') };
}

/** Names of a profile: as the file writes them, or by namespaces where the profile has some. */
export const profileNames = (namespaces: Namespaces | null): ProfileNames =>
  namespaces === null
    ? writtenNames
    : namesIn(
        namespaces,
        (prefix) => new FileFault(`The prefix ${prefix} is not among the profile's namespaces. Add it there.`),
      );

/** Names at the root of a file. */
export const rootScope = (namespaces: Namespaces | null): XmlScope =>
  namespaces === null ? writtenNames : buildScope({});

function buildScope(declared: Attributes): XmlScope {
  const names = namesIn(
    declared,
    (prefix) => new FileFault(`The XML declares no namespace for the prefix ${prefix}:.`),
  );
  const elements = new Map<string, string>();
  const inner = new Map<string, XmlScope>();
  const scope: XmlScope = {
    ...names,
    element(name) {
      let found = elements.get(name);
      if (found === undefined) {
        if (elements.size >= maxRemembered) elements.clear();
        elements.set(name, (found = names.element(name)));
      }
      return found;
    },
    attributes(attributes) {
      const named: Record<string, string> = {};
      for (const [attribute, value] of Object.entries(attributes)) {
        if (isDeclaration(attribute)) continue;
        const name = names.attribute(attribute);
        if (Object.hasOwn(named, name))
          throw new FileFault(`An element of the XML has the attribute ${attribute} twice.`);
        named[name] = value;
      }
      return named;
    },
    within(attributes) {
      const own = Object.entries(attributes).filter(([attribute]) => isDeclaration(attribute));
      if (own.length === 0) return scope;
      const key = JSON.stringify(own);
      let found = inner.get(key);
      if (!found) {
        if (inner.size >= maxRemembered) inner.clear();
        const added = own.map(([attribute, uri]) => [attribute === 'xmlns' ? '' : attribute.slice(6), uri]);
        inner.set(key, (found = buildScope({ ...declared, ...(Object.fromEntries(added) as Attributes) })));
      }
      return found;
    },
  };
  return scope;
}
