import { CodeExample } from './code-example.tsx';
import { codeLabel } from './code-label.ts';
import { fillAddress, serverAddress } from './server-address.ts';

/** An example with this server's address. */
export const CodeBlock = ({ info, text }: { info: string; text: string }) => (
  <CodeExample label={codeLabel(info)} text={fillAddress(text, serverAddress(document.baseURI))} />
);
