//! Arithmetic with parameters: `"2 * $radius"`, `"$height / 2 + 0.1"`, `"sqrt($a^2 + $b^2)"`.
//!
//! Numbers and lists of numbers; a list is added to a list, and multiplied and divided by a number. What is made of integers and
//! has no fraction is an integer, so that `"2 * $n"` can count cells.

/// What an expression is worth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Amount {
    /// A number, and whether it is an integer.
    Number(f64, bool),
    /// A list of such.
    List(Vec<(f64, bool)>),
}

/// Deepest nesting of brackets.
const MAX_DEPTH: usize = 32;

/// Longest expression.
const MAX_LENGTH: usize = 1000;

/// Functions of one number.
type Function = fn(f64) -> f64;
const FUNCTIONS: [(&str, Function); 8] = [
    ("sqrt", f64::sqrt),
    ("sin", |degrees| degrees.to_radians().sin()),
    ("cos", |degrees| degrees.to_radians().cos()),
    ("tan", |degrees| degrees.to_radians().tan()),
    ("abs", f64::abs),
    ("floor", f64::floor),
    ("ceil", f64::ceil),
    ("round", f64::round),
];

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64, bool),
    Parameter(String),
    Word(String),
    Sign(char),
}

/// Whether a text is meant as arithmetic: it refers to a parameter and has nothing but numbers, signs and functions besides.
pub(crate) fn is_expression(text: &str) -> bool {
    text.len() <= MAX_LENGTH
        && tokens(text).is_some_and(|tokens| {
            let known = |t: &Token| match t {
                Token::Word(word) => word == "pi" || FUNCTIONS.iter().any(|(name, _)| name == word),
                _ => true,
            };
            tokens.iter().all(known) && tokens.iter().any(|t| matches!(t, Token::Parameter(_)))
        })
}

/// The value of an expression; `parameter` gives those of parameters.
///
/// # Errors
/// The cause in words.
pub(crate) fn evaluate(
    text: &str,
    parameter: &mut dyn FnMut(&str) -> Result<Amount, String>,
) -> Result<Amount, String> {
    let tokens = tokens(text).ok_or("it has characters that are no arithmetic")?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, parameter };
    let amount = parser.sum()?;
    match parser.peek() {
        None => Ok(amount),
        Some(_) => Err("it goes on after its end: an operator is missing, or a bracket is too many".into()),
    }
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '0'..='9' | '.' => number_length(rest),
            '$' => 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
            'a'..='z' => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '+' | '-' | '*' | '/' | '^' | '(' | ')' => 1,
            _ => return None,
        };
        let piece = &rest[..length];
        tokens.push(match first {
            '$' if length > 1 && !rest.as_bytes()[1].is_ascii_digit() => Token::Parameter(piece[1..].into()),
            '$' => return None,
            'a'..='z' => Token::Word(piece.into()),
            '0'..='9' | '.' => {
                let is_integer = piece.bytes().all(|b| b.is_ascii_digit());
                Token::Number(piece.parse().ok()?, is_integer)
            }
            sign => Token::Sign(sign),
        });
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// Bytes of the number at the start of a text, an exponent included.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = if length + 1 + sign < bytes.len() { digits(length + 1 + sign) } else { 0 };
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    parameter: &'a mut dyn FnMut(&str) -> Result<Amount, String>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// Takes the next token if it is one of these signs.
    fn take(&mut self, signs: &[char]) -> Option<char> {
        let Some(Token::Sign(sign)) = self.peek() else { return None };
        let sign = signs.contains(sign).then_some(*sign)?;
        self.at += 1;
        Some(sign)
    }

    fn sum(&mut self) -> Result<Amount, String> {
        let mut left = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            left = combine(left, sign, self.product()?)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Amount, String> {
        let mut left = self.signed()?;
        while let Some(sign) = self.take(&['*', '/']) {
            left = combine(left, sign, self.signed()?)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Amount, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".into());
        }
        let amount = match self.take(&['-', '+']) {
            Some('-') => combine(Amount::Number(-1.0, true), '*', self.signed()?),
            Some(_) => self.signed(),
            None => self.power(),
        };
        self.depth -= 1;
        amount
    }

    fn power(&mut self) -> Result<Amount, String> {
        let base = self.value()?;
        match self.take(&['^']) {
            Some(sign) => combine(base, sign, self.signed()?),
            None => Ok(base),
        }
    }

    fn value(&mut self) -> Result<Amount, String> {
        let token = self.peek().cloned().ok_or("it ends where a value is missing")?;
        self.at += 1;
        match token {
            Token::Number(x, is_integer) => Ok(Amount::Number(x, is_integer)),
            Token::Parameter(name) => (self.parameter)(&name),
            Token::Word(word) if word == "pi" => Ok(Amount::Number(std::f64::consts::PI, false)),
            Token::Word(word) => {
                let (_, function) = FUNCTIONS
                    .iter()
                    .find(|(name, _)| *name == word)
                    .ok_or_else(|| format!("there is no function `{word}`"))?;
                match self.bracket(&format!("`{word}` needs brackets"))? {
                    Amount::Number(x, _) => {
                        Ok(Amount::Number(function(x), ["floor", "ceil", "round"].contains(&word.as_str())))
                    }
                    Amount::List(_) => Err(format!("`{word}` is of a number, not of a list")),
                }
            }
            Token::Sign('(') => {
                self.at -= 1;
                self.bracket("")
            }
            Token::Sign(sign) => Err(format!("`{sign}` stands where a value is missing")),
        }
    }

    fn bracket(&mut self, missing: &str) -> Result<Amount, String> {
        if self.take(&['(']).is_none() {
            return Err(missing.into());
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".into());
        }
        let amount = self.sum()?;
        self.depth -= 1;
        self.take(&[')']).map(|_| amount).ok_or_else(|| "a closing bracket is missing".into())
    }
}

fn combine(left: Amount, sign: char, right: Amount) -> Result<Amount, String> {
    use Amount::{List, Number};
    let of = |a: (f64, bool), b: (f64, bool)| arithmetic(a, sign, b);
    match (left, right) {
        (Number(a, i), Number(b, j)) => of((a, i), (b, j)).map(|(x, k)| Number(x, k)),
        (List(a), Number(b, j)) if sign == '*' || sign == '/' => {
            a.into_iter().map(|a| of(a, (b, j))).collect::<Result<_, _>>().map(List)
        }
        (Number(a, i), List(b)) if sign == '*' => {
            b.into_iter().map(|b| of((a, i), b)).collect::<Result<_, _>>().map(List)
        }
        (List(a), List(b)) if (sign == '+' || sign == '-') && a.len() == b.len() => {
            a.into_iter().zip(b).map(|(a, b)| of(a, b)).collect::<Result<_, _>>().map(List)
        }
        _ => Err(format!("`{sign}` does not go with these lists")),
    }
}

fn arithmetic((a, i): (f64, bool), sign: char, (b, j): (f64, bool)) -> Result<(f64, bool), String> {
    let value = match sign {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        '/' if b == 0.0 => return Err("it divides by zero".into()),
        '/' => a / b,
        _ => a.powf(b),
    };
    if !value.is_finite() {
        return Err(format!("{a} {sign} {b} is not finite"));
    }
    Ok((value, i && j && value.fract() == 0.0 && value.abs() < 9e15))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Amount, String> {
        evaluate(text, &mut |name| match name {
            "r" => Ok(Amount::Number(0.5, false)),
            "n" => Ok(Amount::Number(6.0, true)),
            "v" => Ok(Amount::List(vec![(1.0, true), (2.5, false)])),
            _ => Err(format!("unknown parameter `${name}`")),
        })
    }

    #[test]
    fn arithmetic_has_its_usual_order() {
        let number = |text: &str| match value(text) {
            Ok(Amount::Number(x, _)) => x,
            other => panic!("{text}: {other:?}"),
        };
        for (text, want) in [
            ("2 * $r", 1.0),
            ("1 + 2 * $n - 3", 10.0),
            ("(1 + 2) * $n", 18.0),
            ("-$n^2", -36.0),
            ("2^-1 * $n", 3.0),
            ("$n / 4", 1.5),
            ("sqrt($n * $n + 64)", 10.0),
            ("2 * sin(30) + $r", 1.5),
            ("1e-1*$n", 0.6000000000000001),
            ("-(-$r)", 0.5),
            ("2 * pi * $r", std::f64::consts::PI),
        ] {
            assert!((number(text) - want).abs() < 1e-12, "{text}: {}", number(text));
        }
        assert_eq!(value("2 * $n"), Ok(Amount::Number(12.0, true)));
        assert_eq!(value("$n / 4"), Ok(Amount::Number(1.5, false)));
        assert_eq!(value("2 * $v + $v"), Ok(Amount::List(vec![(3.0, true), (7.5, false)])));
    }

    #[test]
    fn what_is_no_arithmetic_is_refused_or_left_as_text() {
        let bad =
            ["2 *", "2 $n", "($n", "$n)", "sqrt $n", "1 / ($n - 6)", "$v * $v", "$unknown + 1", "2 ** $n"];
        assert!(bad.iter().all(|text| value(text).is_err()));
        assert!(value(&format!("{}$n", "(".repeat(500))).is_err());
        assert!(value(&format!("{}$n", "-".repeat(500))).is_err());
        assert!(is_expression("2 * $r") && is_expression("sqrt($a)") && is_expression("$a-$b"));
        for text in ["costs $5 a piece", "x_min", "2 * 3", "$", "a$b", "price: $n", "file $n.obj"] {
            assert!(!is_expression(text), "{text}");
        }
    }
}
