package counterexample

import (
	"errors"
	"syscall"
)

// isNotSyncable reports that the target is a pipe or a device, which has nothing to flush.
func isNotSyncable(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP)
}
