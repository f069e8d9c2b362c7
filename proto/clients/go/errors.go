package colonnade

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Applied says whether a write took effect.
type Applied string

const (
	// NotAWrite stands in errors of reads.
	NotAWrite Applied = ""
	// AppliedYes: it did.
	AppliedYes Applied = "yes"
	// AppliedNo: it did not and will not.
	AppliedNo Applied = "no"
	// AppliedUnknown: it may have. Writing the same with the same timestamp again is safe.
	AppliedUnknown Applied = "unknown"
)

// Error is how a call failed; docs/errors.md lists the reasons.
type Error struct {
	// Code is the status of gRPC.
	Code codes.Code
	// Reason is such as NOT_ENOUGH_REPLICAS; empty if no node said it: a connection broke, or a deadline passed here.
	Reason  string
	Message string
	Applied Applied
	// Metadata is all that the node said, such as "limit".
	Metadata map[string]string
	// Fields are the paths of the fields of the request that are at fault.
	Fields []string
	// RetryAfter is how long to wait before trying again; 0 if that is not likely to help.
	RetryAfter time.Duration
	cause      error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Reason, e.Message)
}

// Unwrap returns the error of gRPC. errors.Is(err, context.DeadlineExceeded) and context.Canceled work, too.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is know the errors of contexts.
func (e *Error) Is(target error) bool {
	return target == context.DeadlineExceeded && e.Code == codes.DeadlineExceeded ||
		target == context.Canceled && e.Code == codes.Canceled
}

// Required is how many replicas the consistency level asks for; 0 where the error did not turn on that.
func (e *Error) Required() int { return e.number("required") }

// Received is how many replicas answered in time.
func (e *Error) Received() int { return e.number("received") }

// Alive is how many replicas were believed to be up.
func (e *Error) Alive() int { return e.number("alive") }

func (e *Error) number(name string) int {
	number, _ := strconv.Atoi(e.Metadata[name])
	return number
}

// IsNotFound tells whether the error means that there is no such column.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == "COLUMN_NOT_FOUND"
}

// mayRetry tells whether the call may be made again without asking: a write only if it was certainly not applied.
func (e *Error) mayRetry(write bool) bool {
	if write && e.Applied != AppliedNo {
		return false
	}
	if e.Reason == "" {
		return e.Code == codes.Unavailable
	}
	return e.Reason == "NODE_NOT_READY" || e.RetryAfter > 0
}

// nodeIsGone tells whether the node does not serve, so that the next call had better go to another one.
func (e *Error) nodeIsGone() bool {
	return e.Code == codes.Unavailable && (e.Reason == "" || e.Reason == "NODE_NOT_READY")
}

// FromError reads the details of an error of gRPC, for calls that are made with the generated stubs.
func FromError(err error, write bool) *Error {
	return fromStatus(status.Convert(err), write, err)
}

// FromStatus reads an encoded status, as calls of a session and batches of a stream have it.
func FromStatus(s *spb.Status, write bool) *Error {
	return fromStatus(status.FromProto(s), write, nil)
}

func fromStatus(s *status.Status, write bool, cause error) *Error {
	e := &Error{Code: s.Code(), Message: s.Message(), cause: cause}
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
		e.Applied = AppliedUnknown
		if applied, ok := e.Metadata["applied"]; ok {
			e.Applied = Applied(applied)
		}
	}
	return e
}
