import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "./gen/google/rpc/details_pb.js";

/**
 * Whether a write took effect: after "no" nothing was and nothing will be applied; after "unknown" writing the same
 * with the same timestamp again is safe.
 */
export type Applied = "yes" | "no" | "unknown";

interface Details {
  reason?: string;
  applied?: Applied | undefined;
  metadata?: Record<string, string>;
  fields?: string[];
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** A call failed; docs/errors.md lists the reasons. */
export class ColonnadeError extends Error {
  override readonly name = "ColonnadeError";
  /** Such as "NOT_ENOUGH_REPLICAS"; empty if no node said it: a connection broke, or a deadline passed here. */
  readonly reason: string;
  /** About a write; undefined about a read. */
  readonly applied: Applied | undefined;
  /** All that the node said, such as `limit`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The paths of the fields of the request that are at fault. */
  readonly fields: readonly string[];
  /** How long to wait before trying again; undefined if that is not likely to help. */
  readonly retryAfterMs: number | undefined;

  constructor(readonly code: Code, message: string, details: Details = {}) {
    super(`${details.reason || Code[code]}: ${message}`, { cause: details.cause });
    this.reason = details.reason ?? "";
    this.applied = details.applied;
    this.metadata = details.metadata ?? {};
    this.fields = details.fields ?? [];
    this.retryAfterMs = details.retryAfterMs;
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
  mayRetry(write: boolean): boolean {
    return !(write && this.applied !== "no") && (this.nodeIsGone || this.retryAfterMs !== undefined);
  }

  /**
   * Reads the details of an error of a call. After its deadline the node resets a call, which this end may learn before
   * its own clock says the same.
   */
  static from(error: unknown, write: boolean, late = false): ColonnadeError {
    if (error instanceof ColonnadeError) {
      return error;
    }
    const failure = ConnectError.from(error);
    const info = failure.findDetails(ErrorInfoSchema).find((each) => each.domain === "colonnade");
    const delay = failure.findDetails(RetryInfoSchema)[0]?.retryDelay;
    const metadata = info?.metadata ?? {};
    return new ColonnadeError(info ? failure.code : ofTransport(failure.code, late), failure.rawMessage, {
      reason: info?.reason ?? "",
      applied: write ? ((metadata.applied as Applied | undefined) ?? "unknown") : undefined,
      metadata,
      fields: failure.findDetails(BadRequestSchema).flatMap((each) => each.fieldViolations.map((v) => v.field)),
      retryAfterMs: delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6,
      cause: error,
    });
  }

  /** Reads an encoded google.rpc.Status, as calls of a session have it. */
  static fromStatus(encoded: Uint8Array, write: boolean): ColonnadeError {
    const status = fromBinary(StatusSchema, encoded);
    const failure = new ConnectError(status.message, status.code);
    failure.details = status.details.map((any) => ({ type: any.typeUrl.replace(/.*\//, ""), value: any.value }));
    return ColonnadeError.from(failure, write);
  }
}

/** A connection that breaks is Unavailable, as in all languages, whichever system call noticed it. */
function ofTransport(code: Code, late: boolean): Code {
  if (late && code === Code.Canceled) {
    return Code.DeadlineExceeded;
  }
  return code === Code.Aborted || code === Code.Internal ? Code.Unavailable : code;
}
