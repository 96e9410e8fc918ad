//! Who may talk to the server: pages that it served itself, and programs on this machine that are no browsers.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use std::net::IpAddr;

/// What is known of the place where the server listens.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Address it listens at.
    pub address: IpAddr,
}

impl Guard {
    /// Whether a request is for this server under a name that is its own. A page of a stranger whose name was made to
    /// point here has another one.
    pub fn allows_host(&self, headers: &HeaderMap) -> bool {
        let Some(host) = headers.get(HOST).and_then(|h| h.to_str().ok()).map(without_port) else {
            return false;
        };
        let ip: Option<IpAddr> = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
        match ip {
            Some(ip) if self.address.is_loopback() => ip.is_loopback(),
            // Asked to listen for others: every number names this machine, names could be anyone's.
            Some(_) => true,
            None => host.eq_ignore_ascii_case("localhost"),
        }
    }

    /// Whether a socket was opened by a page of this server. Browsers always send the origin; what sends none is no
    /// page.
    pub fn allows_origin(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(ORIGIN) else { return true };
        let host = headers.get(HOST).and_then(|h| h.to_str().ok()).unwrap_or_default();
        origin.to_str().is_ok_and(|o| o.strip_prefix("http://").is_some_and(|o| o.eq_ignore_ascii_case(host)))
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // The colons of [::1] are no port.
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_str(text).expect("a header");
        let mut headers = HeaderMap::new();
        headers.insert(HOST, value(host));
        origin.map(|o| headers.insert(ORIGIN, value(o)));
        headers
    }

    #[test]
    fn only_names_of_this_machine_are_served() {
        let home = Guard { address: IpAddr::from([127, 0, 0, 1]) };
        for host in ["127.0.0.1:8123", "localhost:8123", "LOCALHOST", "[::1]:8123", "[::1]", "127.0.0.9"] {
            assert!(home.allows_host(&headers(host, None)), "{host}");
        }
        for host in ["evil.example:8123", "192.168.1.5:8123", "localhost.evil.example", "", "8.8.8.8"] {
            assert!(!home.allows_host(&headers(host, None)), "{host}");
        }
        let open = Guard { address: IpAddr::from([0, 0, 0, 0]) };
        assert!(open.allows_host(&headers("192.168.1.5:8123", None)));
        assert!(!open.allows_host(&headers("evil.example:8123", None)));
        assert!(!home.allows_host(&HeaderMap::new()));
    }

    #[test]
    fn only_pages_of_this_server_open_sockets() {
        let home = Guard { address: IpAddr::from([127, 0, 0, 1]) };
        let host = "127.0.0.1:8123";
        assert!(home.allows_origin(&headers(host, None)));
        assert!(home.allows_origin(&headers(host, Some("http://127.0.0.1:8123"))));
        let strangers =
            ["http://evil.example", "http://127.0.0.1:9999", "https://127.0.0.1:8123", "null", ""];
        for origin in strangers {
            assert!(!home.allows_origin(&headers(host, Some(origin))), "{origin}");
        }
    }
}
