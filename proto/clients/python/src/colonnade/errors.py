"""Errors of calls, with what a program needs to decide what to do next."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import grpc
from google.rpc import status_pb2
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo

_CODES = {code.value[0]: code for code in grpc.StatusCode}


@dataclass(eq=False)
class ColonnadeError(Exception):
    """A call failed. docs/errors.md lists the reasons.

    :ivar code: the gRPC status code
    :ivar reason: such as ``"NOT_ENOUGH_REPLICAS"``; empty if no node said it: a connection broke, or
        a deadline passed here
    :ivar applied: about a write ``"yes"``, ``"no"`` (nothing was and nothing will be applied) or
        ``"unknown"`` (repeating the same with the same timestamp is safe); None about a read
    :ivar metadata: all that the node said, such as ``limit``
    :ivar fields: the fields of the request that are at fault, each with what is wrong
    :ivar retry_after: seconds after which trying again is likely to help; None if it is not
    :ivar required: how many replicas the consistency level asks for, ``received`` how many answered
        in time, and ``alive`` how many were believed to be up; None where the error did not turn on that
    """

    code: grpc.StatusCode
    message: str
    reason: str = ""
    applied: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    retry_after: float | None = None
    required: int | None = None
    received: int | None = None
    alive: int | None = None

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"

    @property
    def may_retry(self) -> bool:
        """Whether the same call may be made again without being asked, and may succeed then. A write
        only if it was certainly not applied."""
        unreachable = self.code is grpc.StatusCode.UNAVAILABLE and self.reason in ("", "NODE_NOT_READY")
        return self.applied in (None, "no") and (unreachable or self.retry_after is not None)

    def pause(self, attempt: int) -> float:
        """Seconds to wait before the next attempt: what the node asked for, or 20 ms, doubled each time;
        a part by chance, so that clients do not return together."""
        pause = min(2.0, 0.02 * 2 ** (attempt - 1)) if self.retry_after is None else self.retry_after
        return pause * (1 + random.random() / 2)


class NotFoundError(ColonnadeError):
    """There is no such keyspace, family or column; ``reason`` says which."""


def from_rpc(error: grpc.RpcError, write: bool) -> ColonnadeError:
    """Reads an error of gRPC, for calls that are made with the generated stubs."""
    details = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")  # type: ignore[attr-defined]
    if details is not None:
        return from_status(status_pb2.Status.FromString(details), write)
    code, message = error.code(), error.details()  # type: ignore[attr-defined]
    return from_status(status_pb2.Status(code=code.value[0], message=message), write)


def from_status(status: status_pb2.Status, write: bool) -> ColonnadeError:
    """Reads a google.rpc.Status, as calls of a session and batches of a stream have it."""
    info, bad, again = ErrorInfo(), BadRequest(), RetryInfo()
    for detail in status.details:
        detail.Unpack(info) or detail.Unpack(bad) or detail.Unpack(again)
    if info.domain != "colonnade":
        info.Clear()
    code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
    return (NotFoundError if code is grpc.StatusCode.NOT_FOUND else ColonnadeError)(
        code,
        status.message,
        reason=info.reason,
        applied=info.metadata.get("applied", "unknown") if write else None,
        metadata=dict(info.metadata),
        fields={each.field: each.description for each in bad.field_violations},
        retry_after=again.retry_delay.ToTimedelta().total_seconds() if again.HasField("retry_delay") else None,
        **{name: int(info.metadata[name]) for name in ("required", "received", "alive") if name in info.metadata},
    )
