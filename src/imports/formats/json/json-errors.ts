/** Members of the root in which APIs describe an error. */
const errorMembers = new Set(['error', 'errors', 'message', 'fault']);
/** Characters of a description that a fault shows. */
const maxLength = 200;

/** Collects what a file says of errors: APIs answer `{"error": {"message": "..."}}` where the records should be. */
export class JsonErrors {
  /** Items of the list `errors`. */
  count = 0;
  /** The first text in one of the members, or the first that is named `message`. */
  message: string | undefined;
  #isMessage = false;
  /** The member of the root that is being read, if it describes an error. */
  #member: string | undefined;

  enterMember(name: string | undefined): void {
    this.#member = name !== undefined && errorMembers.has(name) ? name : undefined;
  }

  countItem(): void {
    if (this.#member === 'errors') this.count += 1;
  }

  takeText(key: string | undefined, text: string | undefined): void {
    if (text === undefined || this.#member === undefined) return;
    if (this.message !== undefined && (key !== 'message' || this.#isMessage)) return;
    this.message = text.slice(0, maxLength);
    this.#isMessage = key === 'message';
  }
}
