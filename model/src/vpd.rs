//! Owns the image of the vital product data.

/// Product name and serial number as a resource list. Names longer than 79 bytes are cut: hosts read no more.
pub(crate) fn image(product: &str, serial: &str) -> [u8; 256] {
    let product = cut(product);
    let serial = cut(serial);
    let mut list = vec![0x82, product.len() as u8, 0];
    list.extend_from_slice(product);
    list.extend_from_slice(&[0x90, serial.len() as u8 + 7, 0]);
    list.extend_from_slice(&[b'S', b'N', serial.len() as u8]);
    list.extend_from_slice(serial);
    list.extend_from_slice(b"RV\x01");
    let sum = list.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    list.extend_from_slice(&[sum.wrapping_neg(), 0x78]);
    let mut image = [0; 256];
    for (to, from) in image.iter_mut().zip(list) {
        *to = from;
    }
    image
}

fn cut(text: &str) -> &[u8] {
    text.as_bytes().get(..79).unwrap_or(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_begins_with_the_name_and_sums_to_zero() {
        let image = image("Xframe", "A1");
        assert_eq!(image[..9], *b"\x82\x06\x00Xframe");
        assert_eq!(image[9..17], *b"\x90\x09\x00SN\x02A1");
        assert_eq!(image[..21].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)), 0);
        assert_eq!(image[21], 0x78);
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(image(&"x".repeat(300), &"y".repeat(300))[1], 79);
    }
}
