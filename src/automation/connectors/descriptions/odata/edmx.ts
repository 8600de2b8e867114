import { AppError } from '#src/infra/errors.ts';
import { strictXml } from '#src/infra/xml/strict-xml.ts';

/** An element of the metadata of an OData service. Names have no namespace prefixes. */
export interface EdmElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: EdmElement[];
}

const maxDepth = 30;
const maxElements = 1_000_000;

/** Annotations are skipped: they are most of the metadata of large services, and describe how forms look. */
const ignored = new Set(['Annotation', 'Annotations', 'Documentation']);

const fault = (reason: string): AppError => new AppError('UNPROCESSABLE', reason);

/** Returns the `Schema` elements, at any depth. Throws UNPROCESSABLE for XML that is not well-formed or declares entities. */
export function parseEdmx(text: string): EdmElement[] {
  const schemas: EdmElement[] = [];
  const open: EdmElement[] = [];
  let elements = 0;
  const parser = strictXml({ lastRead: () => `line ${parser.line + 1}`, fault });
  parser.onopentag = ({ name, attributes }) => {
    elements += 1;
    if (open.length === maxDepth || elements > maxElements) {
      throw fault(
        `The metadata has more than ${maxElements} elements, or nests them deeper than ${maxDepth}. Use a smaller service.`,
      );
    }
    const pairs = Object.entries(attributes as Record<string, string>);
    const element = {
      name: local(name),
      attributes: new Map(pairs.map(([key, value]) => [local(key), value])),
      children: [],
    };
    if (element.name === 'Schema') schemas.push(element);
    else if (!ignored.has(element.name)) open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => {
    open.pop();
  };
  parser.write(text).close();
  return schemas;
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1);

export const attribute = ({ attributes }: EdmElement, name: string): string => attributes.get(name) ?? '';

export const listChildren = ({ children }: EdmElement, ...names: string[]): EdmElement[] =>
  children.filter(({ name }) => names.includes(name));
