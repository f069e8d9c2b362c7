"""Errors of calls, with what a program needs to decide what to do next."""

from __future__ import annotations

from typing import Mapping, Optional

import grpc
from google.rpc import error_details_pb2, status_pb2

_DETAILS = "grpc-status-details-bin"


class ColonnadeError(Exception):
    """A call failed. docs/errors.md lists the reasons.

    :ivar code: the gRPC status code
    :ivar reason: such as ``"NOT_ENOUGH_REPLICAS"``; empty if the error came from the transport
    :ivar applied: about a write ``"yes"``, ``"no"`` (nothing was and nothing will be applied) or
        ``"unknown"`` (repeating the same with the same timestamp is safe); None about a read
    :ivar metadata: all that the node said, such as ``limit``
    :ivar fields: the fields of the request that are at fault, each with what is wrong
    :ivar retry_after: seconds after which trying again is likely to help; None if it is not
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        reason: str = "",
        applied: Optional[str] = None,
        metadata: Mapping[str, str] = {},
        fields: Mapping[str, str] = {},
        retry_after: Optional[float] = None,
    ):
        super().__init__(f"{reason or code.name}: {message}")
        self.code = code
        self.message = message
        self.reason = reason
        self.applied = applied
        self.metadata = dict(metadata)
        self.fields = dict(fields)
        self.retry_after = retry_after

    @property
    def required(self) -> Optional[int]:
        """How many replicas the consistency level asks for, where the error turned on that."""
        return self._number("required")

    @property
    def received(self) -> Optional[int]:
        """How many replicas answered in time, where the error turned on that."""
        return self._number("received")

    @property
    def alive(self) -> Optional[int]:
        """How many replicas were believed to be up, where the error turned on that."""
        return self._number("alive")

    def _number(self, name: str) -> Optional[int]:
        return int(self.metadata[name]) if name in self.metadata else None

    @property
    def from_transport(self) -> bool:
        """Whether no node said this: a connection broke, or a deadline passed here."""
        return not self.reason

    def may_retry(self, write: bool) -> bool:
        """Whether the same call may be made again without being asked, and may succeed then. A write
        only if it was certainly not applied."""
        if write and self.applied != "no":
            return False
        if self.from_transport:
            return self.code == grpc.StatusCode.UNAVAILABLE
        return self.reason == "NODE_NOT_READY" or self.retry_after is not None


class NotFoundError(ColonnadeError):
    """There is no such keyspace, family or column; ``reason`` says which."""


class InvalidRequestError(ColonnadeError):
    """The request breaks a rule; ``fields`` says where."""


class UnavailableError(ColonnadeError):
    """Too few replicas are up, or the node does not serve, or it cannot be reached."""


class TimedOutError(ColonnadeError):
    """Too few replicas answered in time, or the deadline passed here."""


class OverloadedError(ColonnadeError):
    """The node has no room for this; ``retry_after`` says when to try again."""


_TYPES = {
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: TimedOutError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: OverloadedError,
}


def of_code(code: grpc.StatusCode):
    """The class of errors with this code."""
    return _TYPES.get(code, ColonnadeError)


def from_rpc(error: grpc.RpcError, write: bool) -> ColonnadeError:
    """Reads the details of an error of gRPC."""
    code = error.code()  # type: ignore[attr-defined]
    message = error.details() or ""  # type: ignore[attr-defined]
    reason, metadata, fields, retry_after = "", {}, {}, None
    for key, value in error.trailing_metadata() or ():  # type: ignore[attr-defined]
        if key == _DETAILS:
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                bad = error_details_pb2.BadRequest()
                retry = error_details_pb2.RetryInfo()
                if detail.Unpack(info) and info.domain == "colonnade":
                    reason, metadata = info.reason, dict(info.metadata)
                elif detail.Unpack(bad):
                    fields = {v.field: v.description for v in bad.field_violations}
                elif detail.Unpack(retry):
                    retry_after = retry.retry_delay.ToTimedelta().total_seconds()
    applied = metadata.get("applied", "unknown") if write else None
    return of_code(code)(code, message, reason, applied, metadata, fields, retry_after)
