import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/details_pb.js";

/**
 * Whether a write took effect: after "no" nothing was and nothing will be applied; after "unknown" writing the same
 * with the same timestamp again is safe.
 */
export type Applied = "yes" | "no" | "unknown";

/** A call failed; docs/errors.md lists the reasons. */
export class ColonnadeError extends Error {
  override readonly name = "ColonnadeError";

  constructor(
    readonly code: Code,
    message: string,
    /** Such as "NOT_ENOUGH_REPLICAS"; empty if no node said it: a connection broke, or a deadline passed here. */
    readonly reason: string,
    /** About a write; undefined about a read. */
    readonly applied: Applied | undefined,
    /** All that the node said, such as `limit`. */
    readonly metadata: Readonly<Record<string, string>> = {},
    /** The paths of the fields of the request that are at fault. */
    readonly fields: readonly string[] = [],
    /** How long to wait before trying again; undefined if that is not likely to help. */
    readonly retryAfterMs?: number,
    cause?: unknown,
  ) {
    super(`${reason || Code[code]}: ${message}`, { cause });
  }

  /** How many replicas the consistency level asks for, where the error turned on that. */
  get required(): number | undefined {
    return this.#number("required");
  }

  /** How many replicas answered in time. */
  get received(): number | undefined {
    return this.#number("received");
  }

  /** How many replicas were believed to be up. */
  get alive(): number | undefined {
    return this.#number("alive");
  }

  #number(name: string): number | undefined {
    return name in this.metadata ? Number(this.metadata[name]) : undefined;
  }

  /** Whether the node does not serve, so that the next call had better go to another one. */
  get nodeIsGone(): boolean {
    return this.reason === "" ? this.code === Code.Unavailable : this.reason === "NODE_NOT_READY";
  }

  /** Whether the call may be made again without asking: a write only if it was certainly not applied. */
  get mayRetry(): boolean {
    const safe = this.applied === undefined || this.applied === "no";
    return safe && (this.nodeIsGone || this.retryAfterMs !== undefined);
  }

  /**
   * Reads the details of an error of a call. A call is also canceled when its connection breaks, and by the node after
   * the deadline, which this end may learn before its own clock says the same; `canceled` is what it means here.
   */
  static from(error: unknown, write: boolean, canceled = Code.Canceled): ColonnadeError {
    if (error instanceof ColonnadeError) {
      return error;
    }
    const failure = ConnectError.from(error);
    const info = failure.findDetails(ErrorInfoSchema).find((each) => each.domain === "colonnade");
    const code = info ? failure.code : ofTransport(failure.code, canceled);
    const applied = write ? ((info?.metadata.applied ?? "unknown") as Applied) : undefined;
    const fields = failure.findDetails(BadRequestSchema).flatMap((each) => each.fieldViolations.map((v) => v.field));
    const delay = failure.findDetails(RetryInfoSchema)[0]?.retryDelay;
    const retryAfterMs = delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6;
    const reason = info?.reason ?? "";
    return new ColonnadeError(code, failure.rawMessage, reason, applied, info?.metadata, fields, retryAfterMs, error);
  }
}

/** A connection that breaks is Unavailable, as in all languages, whichever system call noticed it. */
function ofTransport(code: Code, canceled: Code): Code {
  if (code === Code.Canceled) {
    return canceled;
  }
  return code === Code.Aborted || code === Code.Internal ? Code.Unavailable : code;
}
