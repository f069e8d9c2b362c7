package colonnade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Error is how a call failed; docs/errors.md lists the reasons.
type Error struct {
	// Code is the status of gRPC.
	Code codes.Code
	// Reason is such as NOT_ENOUGH_REPLICAS; empty if no node said it: a connection broke, or a deadline passed here.
	Reason  string
	Message string
	// Applied is about a write "yes", "no" (nothing was and nothing will be applied) or "unknown" (writing the same with the
	// same timestamp again is safe); empty about a read.
	Applied string
	// Metadata is all that the node said, such as "limit".
	Metadata map[string]string
	// Required is how many replicas the consistency level asks for, Received how many answered in time, and Alive how
	// many were believed to be up; 0 where the error did not turn on that.
	Required, Received, Alive int
	// Fields are the paths of the fields of the request that are at fault.
	Fields []string
	// RetryAfter is how long to wait before trying again; 0 if that is not likely to help.
	RetryAfter time.Duration
	cause      error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s", cmp.Or(e.Reason, e.Code.String()), e.Message)
}

// Unwrap returns the error of gRPC. errors.Is(err, context.DeadlineExceeded) and context.Canceled work, too.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is know the errors of contexts.
func (e *Error) Is(target error) bool {
	return target == context.DeadlineExceeded && e.Code == codes.DeadlineExceeded ||
		target == context.Canceled && e.Code == codes.Canceled
}

// IsNotFound tells whether the error means that there is no such column.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == "COLUMN_NOT_FOUND"
}

// mayRetry tells whether the call may be made again without asking: a write only if it was certainly not applied.
func (e *Error) mayRetry() bool {
	return (e.Applied == "" || e.Applied == "no") && (e.unreachable() || e.RetryAfter > 0)
}

// unreachable tells whether the node does not serve, so that the next call had better go to another one.
func (e *Error) unreachable() bool {
	return e.Code == codes.Unavailable && (e.Reason == "" || e.Reason == "NODE_NOT_READY")
}

// FromError reads the details of an error of gRPC, for calls that are made with the generated stubs alone.
func FromError(err error, write bool) *Error {
	s := status.Convert(err)
	e := &Error{Code: s.Code(), Message: s.Message(), cause: err}
	for _, detail := range s.Details() {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			if d.GetDomain() == "colonnade" {
				e.Reason, e.Metadata = d.GetReason(), d.GetMetadata()
			}
		case *errdetails.BadRequest:
			for _, violation := range d.GetFieldViolations() {
				e.Fields = append(e.Fields, violation.GetField())
			}
		case *errdetails.RetryInfo:
			e.RetryAfter = d.GetRetryDelay().AsDuration()
		}
	}
	if write {
		e.Applied = cmp.Or(e.Metadata["applied"], "unknown")
	}
	for name, number := range map[string]*int{"required": &e.Required, "received": &e.Received, "alive": &e.Alive} {
		*number, _ = strconv.Atoi(e.Metadata[name])
	}
	return e
}
