//! Tests of failures: classes, quotes and delays.

use super::*;

#[test]
fn a_time_to_wait_is_read_in_all_its_forms() {
    let now = Wall(1_767_225_600_000);
    let check = |header: &str, ms: Option<u64>| {
        assert_eq!(retry_after_ms(header, now), ms, "{header}");
    };
    check("7", Some(7_000));
    check(" 0.25 ", Some(250));
    check("Thu, 01 Jan 2026 00:00:30 GMT", Some(30_000));
    check("Wed, 31 Dec 2025 23:59:59 GMT", Some(0));
    check("1e300", Some(u64::MAX));
    check("NaN", None);
    check("-1", None);
    check("soon", None);
    check("", None);
}

#[test]
fn a_server_without_an_address_is_a_sentence() {
    let to = Endpoint::new("far", Wire::OpenAi, "http://far.test/v1");
    let said = of_net(&NetError::Dns, ReplyStart::Nothing).describe(&to, "m", &[]).text;
    let start = "the server at far.test was not found: its host name has no address; ";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn google_asks_in_its_error_to_be_left_alone() {
    let check = |delay: &str, ms: Option<u64>| {
        let error = serde_json::json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
            "message": "You exceeded your current quota", "details": [
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]}}]);
        let fault = of_status(429, &error.to_string());
        assert_eq!((fault.class, fault.retry_after_ms), (ErrorClass::Rate, ms), "{delay}");
    };
    check("34s", Some(34_000));
    check("34.074824224s", Some(34_074));
    check("-1s", None);
    check("soon", None);
}

#[test]
fn a_time_to_wait_in_words_is_read_in_the_units_of_all_vendors() {
    for (words, ms) in [
        ("Limit 6000, Used 5915. Please try again in 1.15s. Visit x", Some(1_150)),
        ("please try again in 6m0.5s.", Some(360_500)),
        ("Try again later; try again in 120ms", Some(120)),
        ("try again in 20 seconds.", Some(20_000)),
        ("Try Again In 1m30s.", Some(90_000)),
        ("Please try again in 2 minutes 5 seconds. 3 left", Some(125_000)),
        ("Please retry after 26 seconds.", Some(26_000)),
        ("Please retry in 34.5s.", Some(34_500)),
        ("try again in a while", None),
        ("try again in ", None),
    ] {
        let error = serde_json::json!({"error": {"message": words, "code": "rate_limit_exceeded"}});
        assert_eq!(of_status(429, &error.to_string()).retry_after_ms, ms, "{words}");
    }
}

const NGINX: &str = "<html>\r\n<HEAD><TITLE>403 Forbidden</TITLE></HEAD>\r\n<body></body></html>";
const S3: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>4442</RequestId></Error>"#;
const STYLED: &str =
    "<html><style>body { color: red }</style><Script>run()</Script>\nOut of <b>order</b></html>";

#[test]
fn a_page_of_a_proxy_is_its_title_and_its_status_decides() {
    let page = "<!DOCTYPE html>\n<html><head><title> Attention\nRequired! </title></head><body>blocked</body>";
    for (status, body, class, quote) in [
        (403, page, ErrorClass::Credentials, "Attention\nRequired!"),
        (403, NGINX, ErrorClass::Credentials, "403 Forbidden"),
        (403, S3, ErrorClass::Credentials, "Access Denied"),
        (404, S3, ErrorClass::UnknownModel, "Access Denied"),
        (500, STYLED, ErrorClass::Failed, "Out of order"),
        (502, page, ErrorClass::Failed, "Attention\nRequired!"),
        (524, "error code: 524\n", ErrorClass::Failed, "error code: 524"),
        (502, "<html><body><b>No</b> gateway</body></html>", ErrorClass::Failed, "No gateway"),
    ] {
        let fault = of_status(status, body);
        assert_eq!((fault.class, fault.quote.as_deref()), (class, Some(quote)), "{body}");
    }
    assert_eq!(of_status(401, page).class, ErrorClass::Credentials);
}

/// Words of a body that is not JSON may be those of a proxy: a status with one meaning comes before them.
#[test]
fn a_status_of_refusal_comes_before_words_that_are_not_json() {
    for (status, body, class) in [
        (401, "the prompt is too long", ErrorClass::Credentials),
        (402, "this address was flagged", ErrorClass::Credit),
        (403, "forbidden", ErrorClass::Credentials),
        (403, "this address was flagged", ErrorClass::Credentials),
        (429, "this address was flagged", ErrorClass::Rate),
        (400, "this prompt was flagged", ErrorClass::Filter),
        (429, r#"{"error": "You have used all available credits"}"#, ErrorClass::Credit),
    ] {
        assert_eq!(of_status(status, body).class, class, "{status} {body}");
    }
}

#[test]
fn a_status_in_an_error_counts_in_each_of_its_spellings() {
    for (error, class) in [
        (r#"{"code":"429","message":"slow"}"#, ErrorClass::Rate),
        (r#"{"code":429,"message":"slow"}"#, ErrorClass::Rate),
        (r#"{"status_code":503,"message":"down"}"#, ErrorClass::Overload),
        (r#"{"code":"12","message":"odd"}"#, ErrorClass::Failed),
        (r#""slow","code":429"#, ErrorClass::Rate),
    ] {
        let value = serde_json::from_str(&format!(r#"{{"error":{error}}}"#)).unwrap();
        assert_eq!(of_error(None, &value).class, class, "{error}");
    }
}

#[test]
fn rejected_field_is_named_without_its_content() {
    let detail = r#"{"detail":[{"loc":["body","stop",0],"msg":"too long","input":"private"}]}"#;
    for body in [detail.to_owned(), format!(r#"{{"object":"error","message":{detail}}}"#)] {
        assert_eq!(of_status(422, &body).quote.as_deref(), Some("stop: too long"));
    }
}

#[test]
fn error_text_refines_the_http_status() {
    let check = |status: u16, body: &str, class: ErrorClass| {
        assert_eq!(of_status(status, body).class, class, "{body}");
    };
    check(
        404,
        r#"{"error":"model \"x\" not found, try pulling it first"}"#,
        ErrorClass::UnknownModel,
    );
    check(400, r#"{"error":{"message":"x is not a valid model ID"}}"#, ErrorClass::UnknownModel);
    check(
        400,
        r#"{"error":{"message":"Unknown parameter for this model"}}"#,
        ErrorClass::BadRequest,
    );
    check(400, r#"{"error":{"type":"exceed_context_size_error"}}"#, ErrorClass::Context);
    check(429, r#"[{"error":{"message":"You exceeded your current quota"}}]"#, ErrorClass::Rate);
    check(422, r#"{"detail":[{"loc":["body"],"input":"private"}]}"#, ErrorClass::BadRequest);
    check(
        400,
        r#"{"type":"invalid_model","message":"Invalid model: x"}"#,
        ErrorClass::UnknownModel,
    );
    check(403, r#"{"error":"Your team doesn't have any credits yet."}"#, ErrorClass::Credit);
    check(400, r#"{"error":"This model's maximum prompt length is 9"}"#, ErrorClass::Context);
    check(503, r#"{"error":{"message":"Loading model"}}"#, ErrorClass::Overload);
}

#[test]
fn a_server_is_quoted_in_short_unless_it_repeats_the_request() {
    let told = |words: &str| quoted(words, None, &["the quick brown fox jumps"]);
    assert_eq!(told("out of\nmemory"), " (out of memory)");
    assert_eq!(told(&"x".repeat(QUOTE_MAX + 1)), format!(" ({}...)", "x".repeat(QUOTE_MAX)));
    assert_eq!(told("what is: the quick brown fox?"), " (what is: the quick brown fox?)");
    assert_eq!(told("what is: the quick brown fox jumps?"), "");
    assert_eq!(told("what is: the quick brown fo x?"), " (what is: the quick brown fo x?)");
    assert_eq!(told("\u{1f}\u{fffd}\u{8}\u{fffd}"), "");
    let key = Secret::new("abc".into());
    assert_eq!(quoted("wrong key abc", Some(&key), &[]), " (wrong key ***)");
}
