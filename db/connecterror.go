package db

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
)

// unreachable says why a connection failed, and what to do about it. ok is false where the
// reason is simply that no server listens.
func unreachable(err error) (kind ErrorKind, reason, hint string, ok bool) {
	if dnsErr, isDNS := errors.AsType[*net.DNSError](err); isDNS {
		return KindTransient, "the host " + dnsErr.Name + " of the database is not found: " + dnsErr.Err,
			"correct the host in CDOCS_DATABASE_URL, or see whether this machine is in the network that knows it", true
	}
	if strings.Contains(err.Error(), "server refused TLS connection") {
		return KindSetup, "the server speaks no TLS, and the URL demands it",
			"set ssl = on for the server, or, in a network that you trust, sslmode=disable in CDOCS_DATABASE_URL", true
	}
	if reason := certificateProblem(err); reason != "" {
		return KindSetup, "the server's certificate is not accepted: " + reason,
			"name the file of its authority with sslrootcert, and the host as in the certificate, in CDOCS_DATABASE_URL", true
	}
	if strings.Contains(err.Error(), "tls error") {
		return KindSetup, "TLS with the server fails",
			"see the log of the server, and correct sslmode, sslcert and sslkey in CDOCS_DATABASE_URL", true
	}
	return 0, "", "", false
}

// certificateProblem says what is wrong with a certificate, and "" for any other error.
func certificateProblem(err error) string {
	if problem, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return problem.Err.Error()
	}
	if problem, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return problem.Error()
	}
	if problem, ok := errors.AsType[x509.HostnameError](err); ok {
		return problem.Error()
	}
	if problem, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return problem.Error()
	}
	return ""
}
